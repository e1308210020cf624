"""Evaluates the selectors of device classes (CEL) for the core, which has no decoder of its own."""
