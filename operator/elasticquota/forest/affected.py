"""Whom edits of quotas concern, and why: all that depends on what a quota says is listed here.

For edits that ``regrowth`` follows up: nobody's parent is another, at most a leaf has come or gone.
Then something changes only for

* the quota itself, in every respect;
* whoever has another verdict: its siblings, because the min of a parent is handed out in the order
  of creation and a refusal names who has it; its children, among whom its own min is handed out;
  and those below who is accepted now and was not, or the reverse. Who is refused has no min, and
  its waiting pods ask for nothing;
* all below it, where its max or its limits are others: nobody gets in who is larger than those on
  the path, and where a quota names no max, its weight is the smallest one above
  (``sharing.weight``);
* its own waiting pods, where its nodes are others: no node may take them now, or one may;
* its children, who are told of resources that they limit and their parent does not (EQ1103);
* quotas that bind a namespace which it binds, or bound: they are told who has the pods (EQ1004).
  Those pods, and pods that name a quota which has come or gone, may belong to another one;
* all above it, who hold and ask for the sums of what is below.

Runtimes of others follow from these by sharing, and ``sharing.solver`` says whose have moved. What
a root says is meant for its whole tree, and for the ground of others: its edits concern everybody.
So does a name that another object holds now, which may stand anywhere.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from elasticquota.forest.incremental import Edit
from elasticquota.forest.structure import Forest
from elasticquota.model.key import Key
from elasticquota.model.quota import Quota


@dataclass(frozen=True, slots=True)
class Affected:
    """Names of quotas, of those before and those now, unless said otherwise."""

    changed: frozenset[str] = frozenset()
    """Edited, or with another verdict."""
    come_or_gone: frozenset[str] = frozenset()
    """The part of them that is, or was, not there."""
    bounded: frozenset[str] = frozenset()
    """Into which waiting pods may fit now that did not, or the reverse."""
    told: frozenset[str] = frozenset()
    """Of which something else is to be said, without those above them."""
    namespaces: frozenset[str] = frozenset()
    """Of which the pods may belong elsewhere; names of namespaces."""


NOBODY: Final = Affected()


def of(before: Forest, now: Forest) -> Affected | None:
    """Whom it concerns that ``before`` has become ``now`` (``regrowth.followed``); None: everybody.

    Two looks at every quota, to see who is still the same object: nothing is taken on trust.
    """
    edits = _edits(before.quotas, now.quotas)
    if any(tree.root in edits for tree in now.trees.values()):
        return None
    if any(
        old.key != new.key for old, new in edits.values() if old is not None and new is not None
    ):
        return None
    changed = edits.keys() | _judged_otherwise(before, now)
    bounded, told = set[str](), set(changed)
    for name, (old, new) in edits.items():
        bounded.update(_bounded(name, old, new, now))
        told.update(_children_told(name, old, new, now))
        if old is not None and new is not None and _limited(old) != _limited(new):
            told.update(now.descendants(name))
    namespaces = frozenset[str]().union(*(_bound(old) ^ _bound(new) for old, new in edits.values()))
    for namespace in namespaces:
        told.update(now.index.binders.get(namespace, ()))
    return Affected(
        changed=frozenset(changed),
        come_or_gone=frozenset(name for name, edit in edits.items() if None in edit),
        bounded=frozenset(bounded),
        told=frozenset(told),
        namespaces=namespaces,
    )


def _edits(before: Mapping[str, Quota], now: Mapping[str, Quota]) -> dict[str, Edit]:
    """By name; most quotas are the very same objects."""
    edits: dict[str, Edit] = {
        name: (before.get(name), quota)
        for name, quota in now.items()
        if before.get(name) is not quota
    }
    edits.update({name: (before[name], None) for name in before.keys() - now.keys()})
    return edits


def _judged_otherwise(before: Forest, now: Forest) -> set[str]:
    verdicts = before.verdicts
    return {
        key.name
        for key, verdict in now.verdicts.items()
        if verdicts.get(key) is not verdict and verdicts.get(key) != verdict
    }


def _bound(quota: Quota | None) -> frozenset[str]:
    """The namespaces whose pods belong to it without naming it."""
    if quota is None:
        return frozenset()
    own = quota.name
    return frozenset((*quota.namespaces, own) if quota.key == Key(own, own) else quota.namespaces)


def _bounded(name: str, old: Quota | None, new: Quota | None, now: Forest) -> tuple[str, ...]:
    """Not of one that has come or gone: its pods are another's before or after."""
    if old is None or new is None:
        return ()
    if old.max != new.max or _limited(old) != _limited(new):
        return (name, *now.descendants(name))
    if _taken(old) != _taken(new):
        return (name,)
    return ()


def _limited(quota: Quota) -> tuple[object, ...]:
    return quota.limits, quota.admission


def _taken(quota: Quota) -> tuple[object, ...]:
    """What says which pods it takes, and which nodes take them."""
    return quota.allowed_namespaces, quota.namespaces, quota.nodes


def _children_told(name: str, old: Quota | None, new: Quota | None, now: Forest) -> tuple[str, ...]:
    """Nobody is the child of one that has come or gone."""
    if old is None or new is None or old.max.keys() == new.max.keys():
        return ()
    return now.index.children.get(name, ())
