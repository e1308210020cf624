"""A package, so that the replacements of this folder (its conftest) end with it."""
