"""Messages have exact figures for the first pods of a queue, and for pods outside of any queue.

The others get a new message when the reason changes: exact figures for all would overload the API
server.
"""

from typing import Final


LENGTH: Final = 10
"""Places."""


def has(place: int) -> bool:
    """Whether a place in line, from 1, is of the front; 0 is outside of any line."""
    return place <= LENGTH
