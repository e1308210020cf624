"""The front of a line is told every figure, and so is who stands outside of any line.

The others are told when what keeps them changes: writes for all would drown the API server.
"""

from typing import Final


LENGTH: Final = 10
"""Places."""


def has(place: int) -> bool:
    """Whether a place in line, from 1, is of the front; 0 is outside of any line."""
    return place <= LENGTH
