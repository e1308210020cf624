"""Lists and watches typed objects of one kind for as long as the process runs."""
