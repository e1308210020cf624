"""What the ledger counts from: the objects of the API server, and what of their pods counts."""
