"""Any JSON value, and documents with such a value at any place."""

import copy
from typing import Any

from hypothesis import strategies as st


Path = tuple[str | int, ...]

TEXTS = st.text(st.characters(codec="utf-8"), max_size=40) | st.sampled_from(
    (
        *("cpu", "1", "-1", "1e9", "0.5", "512m", "In", "[]", "{}", '{"cpu": [', "cpu: 1"),
        *("a: [b", "? [x] : y", "&a [*a]", "[" * 2000, "x" * 70_000, "\x00\u202e"),
    )
)
_NUMBERS = st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | _NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=8,
)


def places(value: Any, here: Path = ()) -> list[Path]:
    """The paths of everything inside a document."""
    steps = list(value) if isinstance(value, dict) else []
    steps = list(range(len(value))) if isinstance(value, list) else steps
    return [path for step in steps for path in ((*here, step), *places(value[step], (*here, step)))]


def replaced(document: Any, path: Path, value: Any) -> Any:
    """The document with another value at one of its ``places``."""
    changed = copy.deepcopy(document)
    target = changed
    for step in path[:-1]:
        target = target[step]
    target[path[-1]] = value
    return changed
