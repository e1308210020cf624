"""The habits: watch, decide, act. Thin shells around the rulebook; none of them knows a rule."""
