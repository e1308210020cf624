"""The arithmetic of sharing: what is asked for, what there is, and who may use how much of it."""
