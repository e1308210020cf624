"""Decoded objects of other systems as our quotas, and our quotas as trees of ACK."""
