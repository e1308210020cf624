"""Mutation tests: change the rules of sharing and forest, and check that a test fails."""
