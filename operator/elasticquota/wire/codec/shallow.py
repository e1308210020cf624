"""No object is too deep to be read: what lies deeper than anything that we read counts as null.

Decoders skip what they do not read by recursion, and give up at some thousand levels, or at some
hundred, as Python's version has it. The API server stores almost ten thousand, and whoever may
write any object may have them: ``metadata.managedFields`` is free JSON. An object that could not be
read for it would count nowhere, or stop whoever follows its kind.
"""

import re
from collections.abc import Callable
from typing import Final, TypeVar

import msgspec


DEEPEST: Final = 64
"""Levels that are kept; nothing that is read lies deeper than some fifteen."""

# Texts are tokens too, because brackets in them mean nothing. One that does not end reaches to the
# end of everything, so that damaged JSON is no slower than other.
_TOKENS: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)
_OPENING: Final = frozenset(b"[{")
_CLOSING: Final = frozenset(b"]}")

C = TypeVar("C", bytes, bytearray, msgspec.Raw)
T = TypeVar("T")


def decode(decoder: Callable[[bytes | C], T], content: C) -> T:
    """What ``decoder`` makes of ``content``, or of its upper levels where that is too deep.

    Raises what the decoder raises, but no `RecursionError`.
    """
    try:
        return decoder(content)
    except RecursionError:
        return decoder(shallow(bytes(content)))


def shallow(content: bytes, deepest: int = DEEPEST) -> bytes:
    """The JSON with null for each list and object that lies below ``deepest`` levels.

    What is no JSON stays none, unless all that is wrong with it lies down there.
    """
    kept: list[bytes] = []
    depth = begin = 0
    for token in _TOKENS.finditer(content):
        mark = content[token.start()]
        if mark in _OPENING:
            depth += 1
            if depth == deepest + 1:
                kept.append(content[begin : token.start()])
        elif mark in _CLOSING:
            if depth == deepest + 1:
                kept.append(b"null")
                begin = token.end()
            depth -= 1
    if depth <= deepest:
        kept.append(content[begin:])
    return b"".join(kept)
