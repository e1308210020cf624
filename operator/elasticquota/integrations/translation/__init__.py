"""Turns branches of an external tree into valid quotas, and keeps those quotas up to date."""
