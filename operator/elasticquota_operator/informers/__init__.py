"""What the controller follows: objects become values of the core and reach the ledger."""
