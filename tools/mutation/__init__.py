"""Mutation testing: break the rules of sharing and standing, and see whether a test notices."""
