"""Evictions that were decided: how many are carried out at a time, and what is said of them."""
