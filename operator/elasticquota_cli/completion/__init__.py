"""Completion of command lines in shells: the candidates, and the scripts that ask for them."""
