"""HTTP pages of the controller: probes, metrics, and the ledger for debugging."""
