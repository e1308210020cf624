"""Reads a live cluster, as far as the user may: for all verbs that decide on it or explain it."""
