"""The controller: informers fill the ledger, the core decides, writers write. No quota rules."""
