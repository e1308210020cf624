"""A message with the situation in which it is written."""

from typing import NamedTuple


class Example(NamedTuple):
    """One message."""

    code: str
    """Its reason."""
    when: str
    """The situation, as a sentence without a point."""
    text: str
