"""A namespace: only whether it is going away, because then nothing in it is worth admitting."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Namespace:
    name: str
    terminating: bool = False
