"""What a replica keeps in memory, and the live reads for what it does not keep."""
