"""The work queue, as client-go has it, and the workers that process its items."""
