"""How a verb fails, and what it says then."""
