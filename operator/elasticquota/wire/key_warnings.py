"""Warns of labels and annotations that are passed over and look like one that is read.

A label that was meant as an annotation, a key of another kind of object, and a misspelling have no
effect, and without a warning no user learns of it. A key that looks like none of ours is the
user's own business. At most three warnings for an object, of at most 220 characters; values are
never repeated. Pure, and cheap for objects without such keys: pods pass here one by one.
"""

import difflib
import heapq
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from elasticquota import names, texts
from elasticquota.wire import known_keys
from elasticquota.wire.known_keys import Kind, Place
from elasticquota.wire.quota import definition_fields


MOST: Final = 3
_MOST_LOOKED_AT: Final = 12
"""Keys of one object that are compared with all that we know: the comparison takes 0.1 ms."""
_LONGEST: Final = 253 + 1 + 63
"""Characters of a key that the API server accepts."""
_FARTHEST: Final = 12
"""Characters by which a prefix may be longer or shorter than the one that was meant."""
_SHOWN: Final = 90
MARKS: Final = ("koord", "elastic", "quota.sched", "yunikorn")
"""Every key that can be meant as one of ours has one of these in it."""
_NEAR: Final = 0.74
_PLACES: Final[tuple[Place, Place]] = ("label", "annotation")
_SPECS: Final[Mapping[Kind, frozenset[str]]] = {
    "quota": definition_fields.of_spec(names.QUOTA_KIND),
    "profile": definition_fields.of_spec(names.PROFILE_KIND),
}
"""The fields of our own kinds. The API server drops any other before it stores it."""
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def of(
    kind: Kind, labels: Iterable[str] | None, annotations: Iterable[str] | None
) -> tuple[str, ...]:
    """The warnings for an object of ``kind`` with these keys, labels first, by key."""
    found: list[tuple[Place, str]] = []
    if labels:
        found += _suspects(kind, "label", labels)
    if annotations:
        found += _suspects(kind, "annotation", annotations)
    return tuple(_lines(kind, found)) if found else ()


def of_spec(kind: Kind, spec: object) -> tuple[str, ...]:
    """The warnings for unknown fields in the spec of one of our kinds; none for other kinds."""
    known = _SPECS.get(kind)
    if known is None or not isinstance(spec, Mapping):
        return ()
    found: list[str] = []
    for field in sorted({key for key in spec if isinstance(key, str)} - known)[:MOST]:
        near = texts.nearest(field, known)
        hint = f"; did you mean {near}?" if near else ""
        found.append(f"spec.{_cut(field)}: is no field of it and has no effect{hint}")
    return tuple(found)


def _suspects(kind: Kind, place: Place, keys: Iterable[str]) -> list[tuple[Place, str]]:
    known = known_keys.KEYS[kind][place]
    unknown = [key for key in keys if key not in known]
    # Nearly every object has no such key, so all keys are searched at the same time first.
    text = " ".join(unknown)
    if not ("koord" in text or "elastic" in text or "quota.sched" in text or "yunikorn" in text):
        return []
    return [
        (place, key)
        for key in unknown
        if len(key) <= _LONGEST and any(mark in key for mark in MARKS)
    ]


def _lines(kind: Kind, found: list[tuple[Place, str]]) -> Iterator[str]:
    told = 0
    first = heapq.nsmallest(_MOST_LOOKED_AT, found, key=lambda each: (each[0] != "label", each[1]))
    for place, key in first:
        said = _said(kind, place, key)
        if said:
            yield f"metadata.{place}s[{_cut(key)}]: {said}"
            told += 1
            if told == MOST:
                return


def _said(kind: Kind, place: Place, key: str) -> str:
    if key in known_keys.NOT_READ:
        return f"is not read here: {known_keys.NOT_READ[key]}"
    elsewhere = _places(kind, key)
    if elsewhere:
        return f"has no effect: it is {_a(elsewhere[0])}, not {_a(place)}"
    for other in known_keys.KEYS:
        places = _places(other, key)
        if places:
            where = f"{_a(places[0])} of {other}s"
            return f"has no effect on {_a(kind)}; it is {where}"
    return _near(kind, place, key)


def _near(kind: Kind, place: Place, key: str) -> str:
    """The nearest key that is read of this kind, or else of any."""
    prefix, _, tail = key.rpartition("/")
    every: list[Kind] = list(known_keys.KEYS)
    for kinds in ([kind], every):
        keys = {
            each for other in kinds for known in known_keys.KEYS[other].values() for each in known
        }
        meant = _meant(prefix, _kebab(tail), keys)
        if meant:
            break
    else:
        return ""
    owner = next(other for other in (kind, *every) if _places(other, meant))
    where = _places(owner, meant)
    right = place if place in where else where[0]
    shown = meant.rpartition("/")[2] if meant.startswith(f"{prefix}/") else meant
    of_others = "" if owner == kind else f" of {owner}s"
    as_what = "" if right == place and owner == kind else f"the {right} "
    return f"has no effect; did you mean {as_what}{shown}{of_others}?"


def _meant(prefix: str, tail: str, keys: Iterable[str]) -> str:
    parts = {key: key.rpartition("/") for key in keys}
    near = {first for first, _, _ in parts.values() if _is_near_prefix(prefix, first)}
    alike = {key: _kebab(last) for key, (first, _, last) in parts.items() if first in near}
    alias = known_keys.ALIASES.get(tail, "")
    if alias in alike:
        return alias
    by_tail = {last: key for key, last in sorted(alike.items())}
    words = set(tail.split("-"))
    for last, key in by_tail.items():
        if set(last.split("-")) == words:
            return key
    return by_tail.get(texts.nearest(tail, by_tail, _NEAR), "")


def _is_near_prefix(written: str, known: str) -> bool:
    if abs(len(written) - len(known)) > _FARTHEST:
        return False
    return difflib.SequenceMatcher(None, written, known).ratio() >= _NEAR


def _kebab(tail: str) -> str:
    return _CAMEL.sub("-", tail).lower().replace("_", "-").replace(".", "-")


def _places(kind: Kind, key: str) -> list[Place]:
    return [place for place in _PLACES if key in known_keys.KEYS[kind][place]]


def _a(word: str) -> str:
    return f"an {word}" if word[0] in "aeio" else f"a {word}"


def _cut(key: str) -> str:
    shown = key if len(key) <= _SHOWN else f"{key[: _SHOWN - 3]}..."
    return texts.printable(shown)
