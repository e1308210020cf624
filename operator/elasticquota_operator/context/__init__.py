"""What all parts of the controller are built with."""
