"""The nodes of each tree: what they offer, what pods hold there, and for whom there is room."""
