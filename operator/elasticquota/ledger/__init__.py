"""Accounts of what every quota asks for, holds and waits for, made from the current objects."""
