"""What the controller has published, for users who may read no more; nothing here decides."""
