"""What a replica knows without asking, and how it asks when that is not enough."""
