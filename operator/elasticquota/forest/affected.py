"""Lists which quotas some edits of quotas affect, and why.

This covers the edits that ``incremental`` follows: no quota gets another parent, and at most a leaf
has come or gone. Such an edit affects

* the quota itself, in every respect;
* quotas with another verdict: its siblings, because the min of a parent is handed out in the order
  of creation and a refusal lists who has it; its children, among which its own min is handed out;
  and those below a quota that is accepted now and was not, or the reverse. A refused quota has no
  min, and its waiting pods ask for nothing;
* all quotas below it, if its max or its limits changed, or if it was paused or resumed: a pod
  larger than a max on its path is not admitted, and a quota without max has the smallest max above
  as weight (``sharing.weight``);
* its own waiting pods, if its nodes changed: a node may take them now, or no node may any more;
* its children, if the keys of its max changed: they get a warning for resources that they limit and
  their parent does not (EQ1103);
* quotas that bind a namespace which it binds or bound: a warning says which quota has the pods
  (EQ1004). These pods, and pods that name a quota which has come or gone, may change their quota;
* all quotas above it: they hold and ask for the sums of what is below.

Runtimes of other quotas follow from these by sharing; ``sharing.solver`` reports which changed. An
edit of a root quota affects all quotas, because its fields count for its whole tree and for the
nodes of other trees.
"""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Final

from elasticquota.forest import index
from elasticquota.forest.structure import Forest
from elasticquota.model.quota import Quota
from elasticquota.structs import Struct


Edit = tuple[Quota | None, Quota | None]
"""A quota before and after an edit; None: it did not exist, or does not any more."""


class Affected(Struct, frozen=True):
    """The affected quotas by name, of those before and those now."""

    changed: frozenset[str] = frozenset()
    """Quotas that were edited or have another verdict."""
    come_or_gone: frozenset[str] = frozenset()
    """The part of ``changed`` that was added or deleted."""
    bounded: frozenset[str] = frozenset()
    """Quotas into which waiting pods may fit now that did not, or the reverse."""
    statuses: frozenset[str] = frozenset()
    """Quotas whose published status may change, without those above them."""
    namespaces: frozenset[str] = frozenset()
    """Namespaces whose pods may change their quota."""


NOTHING: Final = Affected()


def of(edits: Mapping[str, Edit], judged: AbstractSet[str], now: Forest) -> Affected | None:
    """Return what these edits, by quota name, affect; None: all quotas are affected.

    ``judged`` are the quotas that got another verdict, ``now`` is the forest after the edits.
    """
    if not edits:
        return NOTHING
    if any(tree.root in edits for tree in now.trees.values()):
        return None
    changed = frozenset(edits.keys() | judged)
    bounded, statuses = set[str](), set(changed)
    for name, (old, new) in edits.items():
        bounded.update(_bounded(name, old, new, now))
        statuses.update(_warned_children(name, old, new, now))
        if old is not None and new is not None and _limited(old) != _limited(new):
            statuses.update(now.descendants(name))
    namespaces = frozenset[str]().union(
        *(index.namespaces(old) ^ index.namespaces(new) for old, new in edits.values())
    )
    for namespace in namespaces:
        statuses.update(now.index.binders.get(namespace, ()))
    return Affected(
        changed=changed,
        come_or_gone=frozenset(name for name, edit in edits.items() if None in edit),
        bounded=frozenset(bounded),
        statuses=frozenset(statuses),
        namespaces=namespaces,
    )


def _bounded(name: str, old: Quota | None, new: Quota | None, now: Forest) -> tuple[str, ...]:
    """Empty for a quota that has come or gone: its pods had or get another quota."""
    if old is None or new is None:
        return ()
    if old.max != new.max or _limited(old) != _limited(new):
        return (name, *now.descendants(name))
    if _pods_and_nodes(old) != _pods_and_nodes(new):
        return (name,)
    return ()


def _limited(quota: Quota) -> tuple[object, ...]:
    return quota.limits, quota.admission, quota.paused


def _pods_and_nodes(quota: Quota) -> tuple[object, ...]:
    """The fields that decide which pods the quota takes, and on which nodes they run."""
    return quota.allowed_namespaces, quota.namespaces, quota.nodes


def _warned_children(
    name: str, old: Quota | None, new: Quota | None, now: Forest
) -> tuple[str, ...]:
    """A quota that has come or gone has no children."""
    if old is None or new is None or old.max.keys() == new.max.keys():
        return ()
    return now.index.children.get(name, ())
