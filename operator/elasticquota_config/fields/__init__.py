"""What all sections of the configuration file are built from."""
