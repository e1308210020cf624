"""Programs of other projects that run beside the operator in tests: pinned, and built on demand."""
