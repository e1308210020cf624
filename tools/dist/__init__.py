"""Builds what is published of the command line: a program in one file, and its krew manifest."""
