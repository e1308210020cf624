"""Writes the definitions of all kinds that the chart can install, from the models of our own."""
