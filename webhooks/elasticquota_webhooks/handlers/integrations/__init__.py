"""Reviews of objects of external systems, one handler for each kind."""
