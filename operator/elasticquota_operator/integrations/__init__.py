"""External quota sources: their objects are followed, and ours are kept in step with them."""
