"""Manifests with one place changed: most are wrong, those at a bound are good.

A seed gives the same manifests each time. What is out of bounds, and what is at them, follows from
the schema of the place.
"""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import quantity_texts
from elasticquota.wire.codec import durations
from elasticquota_api.model import KubernetesObject
from good_manifests import Document, Path, Site, edited, sites


Values = Callable[[Site, random.Random], list[Any]]

_CONTROLS: Final = (*"\x00\x07\n\r\t\x7f\u200b\u202e\u2028", "\x1b[2J")
_DIGITS: Final = ("\u0661", "\uff11", "\u00b2", "\u0967", "\U0001d7d9")
_DURATIONS: Final = (
    "30", "0", "0s", "1ms", "999ms", "1s", "9s", "10s", "24h", "24h1ms", "25h", "86400s", "1440m",
    "1.5h", ".5s", "-1s", "+1s", "1d", "1w", "1h 5m", "5m1h", "1m1m", "1us", "1ns", "never",
    "Never", "NEVER", " 30s", "30s ", "30S", "s", "h", "999999h", "9999999h", "99999999s",
    "00030s", "1h0m5s7ms", "86400000ms", "100000000ms", "1e3s", "0x1s", "30s\n",
)  # fmt: skip
_QUANTITIES: Final = (*quantity_texts.generate(400), "", "1e24", "1e25", "1E024", "1e99999999")
_OTHERS: Final[Mapping[str, Any]] = {
    "integer": 5,
    "number": 1.5,
    "boolean": True,
    "string": "a",
    "array": [],
    "object": {},
}
_TYPES: Final[Mapping[type, str]] = {
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}


@dataclass(frozen=True)
class Mutant:
    """A manifest with one change."""

    number: int
    """Which of the seed's it is."""
    kind: type[KubernetesObject]
    mutation: str
    path: Path
    manifest: Document


def generate(
    bases: Mapping[type[KubernetesObject], Sequence[Document]], seed: str, count: int
) -> Iterator[Mutant]:
    """``count`` manifests; each mutation and each kind of object gets an equal part of them."""
    chance = random.Random(seed)
    places = {
        kind: [(base, site) for base in manifests for site in sites(kind, base)]
        for kind, manifests in bases.items()
    }
    kinds, mutations = list(bases), list(MUTATIONS)
    for number in range(count):
        kind = kinds[number % len(kinds)]
        mutation = mutations[number // len(kinds) % len(mutations)]
        found: list[Any] = []
        while not found:
            base, site = chance.choice(places[kind])
            found = MUTATIONS[mutation](site, chance)
        value = chance.choice(found)
        manifest = edited(base, site.path, value)
        yield Mutant(number, kind, mutation, site.path, manifest)


def _types(schema: Document) -> set[str]:
    if "anyOf" in schema:
        return {each["type"] for each in schema["anyOf"]}
    return {schema["type"]}


def _wrong_type(site: Site, chance: random.Random) -> list[Any]:
    del chance
    good = _types(site.schema)
    return [value for name, value in _OTHERS.items() if name not in good]


def _lengths(site: Site, key: str) -> Iterator[tuple[int, str]]:
    """Bounds of the place of one sort, ``min`` or ``max``, with the word of the schema."""
    for word, bound in site.schema.items():
        if word.startswith(key) and isinstance(bound, int):
            yield bound, word.removeprefix(key)


def sized(site: Site, size: int, what: str) -> Iterator[Any]:
    """Values of that size; none where they would be wrong for another reason."""
    value = site.value
    match what:
        case "imum":
            yield size
        case "Length" if isinstance(value, str):
            yield _text(value, size)
        case "Items" if isinstance(value, list) and size >= 0:
            yield [_item(value, number) for number in range(size)]
        case "Properties" if isinstance(value, dict) and size >= 0:
            kept = dict(list(value.items())[:size])
            more = {f"example.com/r{n}": _any(value, "1") for n in range(size - len(kept))}
            yield {**kept, **more}


def _text(value: str, size: int) -> str:
    """A text of that length that is good whenever a longer or shorter ``value`` is."""
    if size <= 0:
        return ""
    return (value or "a").rjust(size, "0" if value[:1].isdigit() else "a")[-size:]


def _item(value: list[Any], number: int) -> Any:
    """The item of that number in a list like ``value``, each of them different."""
    if number < len(value):
        return value[number]
    first = _any(value, "a")
    if isinstance(first, str):
        return f"r{number}"
    named = isinstance(first, dict) and "name" in first
    return {**first, "name": f"r{number}"} if named else first


def _any(value: Any, otherwise: Any) -> Any:
    return next(iter(value.values() if isinstance(value, dict) else value), otherwise)


def _out_of_bounds(site: Site, chance: random.Random) -> list[Any]:
    del chance
    found = [
        each
        for key, beyond in (("min", -1), ("max", 1))
        for bound, what in _lengths(site, key)
        for each in sized(site, bound + beyond, what)
    ]
    if "format" in site.schema:
        found += [2 ** int(site.schema["format"].removeprefix("int"))]
    for word in site.schema.get("enum", ()):
        found += [word.lower(), f"{word} ", word[:-1]]
    if "x-kubernetes-int-or-string" in site.schema:
        found += [-1, "-1", "-1m", "1e25"]
    return found


def _at_bound(site: Site, chance: random.Random) -> list[Any]:
    del chance
    found = [
        each
        for key in ("min", "max")
        for bound, what in _lengths(site, key)
        for each in sized(site, bound, what)
    ]
    if "x-kubernetes-int-or-string" in site.schema:
        found += [0, "0", "-0", "1e24", "9e24"]
    return [*found, *site.schema.get("enum", ())]


def _unknown_key(site: Site, chance: random.Random) -> list[Any]:
    if not isinstance(site.value, dict):
        return []
    key = chance.choice(("colour", "", "a b", "-a", "a/b/c", "A" * 64, "a" * 400, "\u00e4"))
    return [{**site.value, key: each} for each in ("1", _any(site.value, "1"))]


def _nearest_key(site: Site, chance: random.Random) -> list[Any]:
    if not isinstance(site.value, dict) or "properties" not in site.schema or not site.value:
        return []
    key = chance.choice(list(site.value))
    names = {key.lower(), key.upper(), f"{key}s", key[:-1], key[1:], key.replace("e", "a", 1)}
    kept = {each: value for each, value in site.value.items() if each != key}
    known = site.schema["properties"]
    return [{**kept, each: site.value[key]} for each in sorted(names) if each not in known]


def _duplicate(site: Site, chance: random.Random) -> list[Any]:
    if not isinstance(site.value, list) or not site.value:
        return []
    return [[*site.value, chance.choice(site.value)]]


def _empty(site: Site, chance: random.Random) -> list[Any]:
    del chance
    return [type(site.value)()] if isinstance(site.value, str | list | dict) else [""]


def _huge(site: Site, chance: random.Random) -> list[Any]:
    del chance
    if isinstance(site.value, dict):
        return [{f"example.com/r{number}": "1" for number in range(1500)}]
    if isinstance(site.value, list):
        return [[_any(site.value, "a")] * 5000]
    return ["9" * 5000, "a" * 5000, 2**63 - 1, 2**63, 10**40, -(10**40), 1e300]


def _texts(site: Site, chance: random.Random, odd: Sequence[str]) -> list[Any]:
    """What is there with something odd in it."""
    if isinstance(site.value, dict) and "properties" not in site.schema:
        return [{**site.value, f"cpu{chance.choice(odd)}": _any(site.value, "1")}]
    if "string" not in _types(site.schema):
        return []
    text = str(site.value)
    place = chance.choice((0, len(text), len(text) // 2))
    return [text[:place] + chance.choice(odd) + text[place:]]


def _controls(site: Site, chance: random.Random) -> list[Any]:
    return _texts(site, chance, _CONTROLS)


def _unicode_digits(site: Site, chance: random.Random) -> list[Any]:
    return _texts(site, chance, _DIGITS)


def _quantity(site: Site, chance: random.Random) -> list[Any]:
    return [chance.choice(_QUANTITIES)] if "x-kubernetes-int-or-string" in site.schema else []


def _duration(site: Site, chance: random.Random) -> list[Any]:
    text = site.value if isinstance(site.value, str) and "pattern" not in site.schema else ""
    return [chance.choice(_DURATIONS)] if text and durations.read_units(text) is not None else []


def _removed(site: Site, chance: random.Random) -> list[Any]:
    if not isinstance(site.value, dict) or not site.value:
        return []
    needed = [key for key in site.schema.get("required", ()) if key in site.value]
    key = chance.choice(needed or list(site.value))
    return [{each: value for each, value in site.value.items() if each != key}]


MUTATIONS: Final[Mapping[str, Values]] = {
    "wrong type": _wrong_type,
    "out of bounds": _out_of_bounds,
    "at the bound": _at_bound,
    "unknown key": _unknown_key,
    "nearest key": _nearest_key,
    "duplicate": _duplicate,
    "empty": _empty,
    "null": lambda *_: [None],
    "huge": _huge,
    "control characters": _controls,
    "unicode digits": _unicode_digits,
    "odd quantity": _quantity,
    "odd duration": _duration,
    "removed": _removed,
}
"""Of each mutation what it makes of a place; nothing where it has no meaning."""
