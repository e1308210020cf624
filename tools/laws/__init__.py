"""Runs the laws with new seeds for as long as asked, and says how to repeat the first failure."""
