"""Finds where a sentence disagrees with a number in it: ``1 pods``, ``2 node``, ``1 are``."""

import re
from typing import Final


_NOUNS: Final = (
    "application|guarantee|group|job|level|namespace|node|object|pod|pod slot|quota|second|slot"
)
_BETWEEN: Final = r"(?:(?:admitted|more|other|waiting|of the|of its) )?"
_WORDS: Final = r"(?:[a-z]\S* (?:slots? )?(?:of pool \S+ )?)?"
_ONE_OF_MANY: Final = re.compile(
    rf"(?<![\w.:/-])1 (?:{_BETWEEN}(?:{_NOUNS})s\b|{_WORDS}(?:are|do|have|hold|lack|start|wait)\b)"
)
_MANY_OF_ONE: Final = re.compile(
    rf"(?<![\w.:/-])(?:0|[2-9]|\d\d+) {_BETWEEN}(?:{_NOUNS})(?!s|\w| slot)"
    # Not of ``1 of 2 pods is there`` and ``none of its 2 pods waits``.
    r"|(?<![\w.:/-])(?<!of )(?<!its )(?<!priority )(?<!: )(?:0|[2-9]|\d\d+) "
    r"(?:[a-z]\S* )?(?:is|does|has|holds|lacks|starts|waits)\b"
)


def faults(text: str) -> list[str]:
    """Return the parts of ``text`` in which verb or noun and number disagree."""
    return [found.group() for each in (_ONE_OF_MANY, _MANY_OF_ONE) for found in each.finditer(text)]
