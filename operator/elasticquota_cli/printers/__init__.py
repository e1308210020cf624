"""Prints what verbs have found: tables, sentences, JSON and YAML."""
