"""Writes docs/evidence/seeds.md: ``python -m evidence``."""
