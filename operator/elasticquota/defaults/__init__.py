"""What admission fills in: as little as possible, and twice is the same as once."""
