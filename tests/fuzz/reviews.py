"""Bytes -> one review: whatever comes, an answer or a sentence comes back, and soon.

The first byte picks a route and an example; the rest is the body itself, or a tape that alters the
example here and there, because bytes that are changed blindly are hardly ever JSON.
"""

from typing import Final

import msgspec

from byte_source import Tape, words
from review_trials import RECORDED, Trials


MOST_SECONDS: Final = 0.5
"""Of the processor; the instruments of a search make everything several times slower."""

_EXAMPLES: Final = list(RECORDED.values())
_WORDS: Final = words(*_EXAMPLES)
_TRIALS: Final = Trials()


def one(data: bytes) -> None:
    """One try; raises when something else than an answer or a documented error comes out."""
    if not data:
        return
    chosen = _EXAMPLES[data[0] // 2 % len(_EXAMPLES)]
    body = data[1:]
    if data[0] % 2:
        tape = Tape(data[1:], _WORDS)
        request = chosen["review"]["request"]
        objects = {part: tape.altered(request[part]) for part in ("object", "oldObject")}
        altered = {**chosen["review"], "request": tape.altered({**request, **objects})}
        body = msgspec.json.encode(altered)
    assert _TRIALS.one(chosen["path"], body) < MOST_SECONDS
