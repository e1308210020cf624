"""A package, so that what is put in its place for this folder is taken away with it."""
