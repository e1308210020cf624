"""The verbs that write quotas: each shows what would change, asks, and then changes one object."""
