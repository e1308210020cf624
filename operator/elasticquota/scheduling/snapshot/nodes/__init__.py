"""The nodes of one tree in one cycle: where pods start, where room is kept, and who is kept off."""
