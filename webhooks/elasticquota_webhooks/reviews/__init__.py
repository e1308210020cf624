"""One review from bytes to bytes: how it is read, answered and counted."""
