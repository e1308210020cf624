"""Decode JSON of any depth: lists and objects deeper than all that we read count as null.

Decoders skip unread parts by recursion and fail at a few thousand or a few hundred levels,
depending on the version of Python. The API server stores almost ten thousand levels, and any user
with write access can create them: ``metadata.managedFields`` is free JSON. Without this module such
an object would not be counted, or would stop the watch of its kind.
"""

import re
from collections.abc import Callable
from typing import Final, TypeVar

import msgspec


DEEPEST: Final = 64
"""Levels that are kept; the fields that are read have at most about fifteen."""

# Texts are tokens, too, because brackets in them do not count. A text without an end extends to the
# end of the input, so that damaged JSON takes no longer than valid JSON.
_TOKENS: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)
_OPENING: Final = frozenset(b"[{")
_CLOSING: Final = frozenset(b"]}")

C = TypeVar("C", bytes, bytearray, msgspec.Raw)
T = TypeVar("T")


def decode(decoder: Callable[[bytes | C], T], content: C) -> T:
    """Decode ``content``, or only its upper levels if it is too deep.

    Raises the errors of the decoder except `RecursionError`.
    """
    try:
        return decoder(content)
    except RecursionError:
        return decoder(shallow(bytes(content)))


def is_deep(content: bytes, deepest: int = DEEPEST) -> bool:
    """Whether JSON has more than ``deepest`` levels, on every version of Python the same."""
    opened = content.count(b"{") + content.count(b"[")
    return opened > deepest and shallow(content, deepest) != content


def shallow(content: bytes, deepest: int = DEEPEST) -> bytes:
    """Return the JSON with null for each list and object below ``deepest`` levels.

    Invalid JSON stays invalid, unless all its errors are in the removed parts.
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
