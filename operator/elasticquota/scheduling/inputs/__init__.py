"""What the administrator chooses for all trees."""
