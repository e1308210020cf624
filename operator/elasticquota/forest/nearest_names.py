"""Warns of keys, fields and resources that have no effect and look like ones that have.

A label that was meant as an annotation, a key of another kind of object, and a misspelling have no
effect, and without a warning no user learns of it. A key that looks like none of ours is the
user's own business. ``KEYS`` is what is read or written; tests compare it with ``names`` and with
docs/annotations.md.

At most three warnings for an object, of at most 220 characters; values are never repeated. Pure,
and cheap for objects without such keys: pods pass here one by one.
"""

import difflib
import heapq
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, Literal

from elasticquota import names, texts
from elasticquota.forest import wording
from elasticquota.model import definition_fields


Kind = Literal["quota", "profile", "pod", "namespace", "tree", "job"]
Place = Literal["label", "annotation"]
Places = Mapping[Place, frozenset[str]]

FIGURES: Final = (
    names.RUNTIME,
    names.REQUEST,
    names.CHILD_REQUEST,
    names.GUARANTEED,
    names.ALLOCATED,
    names.NON_PREEMPTIBLE_REQUEST,
    names.NON_PREEMPTIBLE_USED,
)
"""Published on quotas. A copied manifest has them, and the controller corrects them."""


def _places(label: Iterable[str] = (), annotation: Iterable[str] = ()) -> Places:
    return {"label": frozenset(label), "annotation": frozenset(annotation)}


KEYS: Final[Mapping[Kind, Places]] = {
    "quota": _places(
        label=(
            names.PARENT,
            names.IS_PARENT,
            names.ALLOW_LENT,
            names.TREE_ID,
            names.IS_ROOT,
            names.PROFILE,
            names.IGNORE_DEFAULT_TREE,
            names.ALLOW_FORCE_UPDATE,
            names.DIALECT,
        ),
        annotation=(
            names.SHARED_WEIGHT,
            names.ADMISSION,
            names.NAMESPACES,
            names.STRICT_KEYS,
            names.TOTAL_RESOURCE,
            names.UNSCHEDULABLE_RESOURCE,
            names.PRESENT_RESOURCE,
            names.PLACED_BELOW,
            names.SOURCE,
            *FIGURES,
        ),
    ),
    "profile": _places(label=(names.TREE_ID,), annotation=(names.RESOURCE_KEYS,)),
    "pod": _places(
        label=(
            names.QUOTA_NAME,
            *names.QUOTA_ALIASES,
            names.PREEMPTIBLE,
            names.POD_GROUP,
            names.POD_GROUP_SIZE,
            names.ALL_OR_NOTHING,
            names.ADMITTED_AT,
        ),
        annotation=(
            names.POD_GROUP_SIZE,
            names.ALL_OR_NOTHING,
            names.EVICT_LAST,
            names.ALLOW_PREEMPTION,
            names.EXPECTED,
            *names.CONSUME_PROVISIONING,
            *names.PROVISIONING_CLASS,
        ),
    ),
    "namespace": _places(
        label=(names.NAMESPACE_QUOTA,),
        annotation=(*names.QUEUE_AMOUNTS, names.PARENT_QUEUE, *names.AVAILABLE_QUOTA),
    ),
    "tree": _places(annotation=(names.TREE_PROFILE,)),
    "job": _places(
        label=(names.QUEUE_NAME,),
        annotation=(names.SUSPEND, names.QUEUE_NAME, *names.MIN_RESOURCES, names.JOB_PHASE),
    ),
}
"""Every label and annotation that is read or written, by kind of object and by place."""

ALIASES: Final[Mapping[str, str]] = {
    "parent-quota-name": names.PARENT,
    "parent-quota": names.PARENT,
    "parent-name": names.PARENT,
    "quota-name": names.QUOTA_NAME,
    "quota": names.QUOTA_NAME,
    "tree": names.TREE_ID,
    "root": names.IS_ROOT,
    "lent-resource": names.ALLOW_LENT,
    "allow-lent": names.ALLOW_LENT,
    "weight": names.SHARED_WEIGHT,
    "namespace": names.NAMESPACES,
}
"""Names that documents and users use for a key: the last part of the key, in kebab case."""

NOT_READ: Final[Mapping[str, str]] = {
    "yunikorn.apache.org/namespace.enableYuniKorn": "see config.systemNamespaces",
    "yunikorn.apache.org/namespace.generateAppId": "pods without one have their namespace",
    "koord-queue/queue-policy": "spec.queue.policy: Strict says what Block means",
    "koord-queue/queue-args": "spec.queue has what there is to choose",
    "koord-queue/priority-threshold": "jobs go by priority, then by age",
    "koord-queue/wait-for-pods-running": "a job reserves what its pods may still ask for",
    "koord-queue/enable-queueunit-preemption": "preemption of jobs is not chosen by quota",
}
"""Keys that external systems read and that are deliberately not read here; what counts instead."""

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
"""``gpu`` is not meant as ``cpu``."""
_PLACES: Final[tuple[Place, Place]] = ("label", "annotation")
_SPECS: Final[Mapping[Kind, frozenset[str]]] = {
    "quota": definition_fields.of_spec(names.QUOTA_KIND),
    "profile": definition_fields.of_spec(names.PROFILE_KIND),
}
"""The fields of our own kinds. The API server drops any other before it stores it."""
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def of_keys(
    kind: Kind, labels: Iterable[str] | None, annotations: Iterable[str] | None
) -> tuple[str, ...]:
    """The warnings for an object of ``kind`` with these keys, labels first, by key."""
    found: list[tuple[Place, str]] = []
    if labels:
        found += _suspects(kind, "label", labels)
    if annotations:
        found += _suspects(kind, "annotation", annotations)
    return tuple(_lines(kind, found)) if found else ()


def of_fields(kind: Kind, spec: object) -> tuple[str, ...]:
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


def of_resource(resource: str, known: Iterable[str]) -> str:
    """``Did you mean 'memory'?`` for ``memeory``; empty: none of the ``known`` ones is near."""
    return wording.meant(resource, known, _NEAR)


def _suspects(kind: Kind, place: Place, keys: Iterable[str]) -> list[tuple[Place, str]]:
    known = KEYS[kind][place]
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
    reported = 0
    first = heapq.nsmallest(_MOST_LOOKED_AT, found, key=lambda each: (each[0] != "label", each[1]))
    for place, key in first:
        said = _said(kind, place, key)
        if said:
            yield f"metadata.{place}s[{_cut(key)}]: {said}"
            reported += 1
            if reported == MOST:
                return


def _said(kind: Kind, place: Place, key: str) -> str:
    if key in NOT_READ:
        return f"is not read here: {NOT_READ[key]}"
    elsewhere = _places_of(kind, key)
    if elsewhere:
        return f"has no effect: it is {_a(elsewhere[0])}, not {_a(place)}"
    for other in KEYS:
        places = _places_of(other, key)
        if places:
            where = f"{_a(places[0])} of {other}s"
            return f"has no effect on {_a(kind)}; it is {where}"
    return _near(kind, place, key)


def _near(kind: Kind, place: Place, key: str) -> str:
    """The nearest key that is read of this kind, or else of any."""
    prefix, _, tail = key.rpartition("/")
    every: list[Kind] = list(KEYS)
    for kinds in ([kind], every):
        keys = {each for other in kinds for known in KEYS[other].values() for each in known}
        meant = _meant(prefix, _kebab(tail), keys)
        if meant:
            break
    else:
        return ""
    owner = next(other for other in (kind, *every) if _places_of(other, meant))
    where = _places_of(owner, meant)
    right = place if place in where else where[0]
    shown = meant.rpartition("/")[2] if meant.startswith(f"{prefix}/") else meant
    of_others = "" if owner == kind else f" of {owner}s"
    as_what = "" if right == place and owner == kind else f"the {right} "
    return f"has no effect; did you mean {as_what}{shown}{of_others}?"


def _meant(prefix: str, tail: str, keys: Iterable[str]) -> str:
    parts = {key: key.rpartition("/") for key in keys}
    near = {first for first, _, _ in parts.values() if _is_near_prefix(prefix, first)}
    alike = {key: _kebab(last) for key, (first, _, last) in parts.items() if first in near}
    alias = ALIASES.get(tail, "")
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


def _places_of(kind: Kind, key: str) -> list[Place]:
    return [place for place in _PLACES if key in KEYS[kind][place]]


def _a(word: str) -> str:
    return f"an {word}" if word[0] in "aeio" else f"a {word}"


def _cut(key: str) -> str:
    shown = key if len(key) <= _SHOWN else f"{key[: _SHOWN - 3]}..."
    return texts.printable(shown)
