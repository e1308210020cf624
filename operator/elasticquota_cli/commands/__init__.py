"""Verbs that are one module each."""
