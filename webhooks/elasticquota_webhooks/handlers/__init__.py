"""One handler per kind of review: read, decide, answer."""
