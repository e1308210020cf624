"""Turns drafts into quotas with fitting names and limits; each namespace is bound once.

Which of two rivals is left out depends on their content, never on their order.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from elasticquota import names, resources
from elasticquota.integrations.translation import fitting, naming
from elasticquota.integrations.translation.translation import (
    Draft,
    Path,
    Translation,
    TranslationWarning,
)
from elasticquota.model.key import Key
from elasticquota.model.quota import Quota
from elasticquota.resources import EMPTY, Resources
from elasticquota.structs import Struct, field


class _Node(Struct):
    """The draft that counts for its path, and what is decided about it."""

    draft: Draft
    """Fitted to its role and to what a quantity can hold."""
    below: Sequence["_Node"]
    """By name."""
    own: Resources
    """Its own min, cut to its max."""
    asked: Resources
    """The min that it asks for, with the nodes below it."""
    min: Resources
    """The min of its quota; until its parent has shared out its own, what it asks for."""
    max: Resources = field(default_factory=lambda: EMPTY)
    """The max of its quota."""


def build(
    drafts: Iterable[Draft],
    warnings: Iterable[TranslationWarning],
    spaces: Collection[str] = frozenset(),
) -> Translation:
    """Translate drafts in any order; ``warnings`` are added to those of the translation.

    The parent of a draft is the one whose path is one name shorter. A quota does not get the name
    of one of the namespaces ``spaces`` unless it binds it (EQ1102).
    """
    said = list(warnings)
    nodes = _nodes(drafts, said)
    for node in nodes.values():
        shares = fitting.shares(node.min, [child.asked for child in node.below])
        for child, share in zip(node.below, shares, strict=True):
            child.min = share
    for node in reversed(nodes.values()):
        node.max = fitting.complete(node.draft, node.min, [each.max for each in node.below], said)
        fitting.tell_of_min(node.draft, node.own, node.min, said)
    called = _called(nodes, spaces)
    bound = _bound_once([node.draft for node in nodes.values()], said)
    return Translation(
        tuple(
            _quota(node, called[path], called.get(path[:-1], node.draft.below), bound[path])
            for path, node in nodes.items()
            if node.draft.below is not None
        ),
        {called[path]: node.draft.origin for path, node in nodes.items()},
        tuple(sorted(said)),
        {called[path]: node.draft.source for path, node in nodes.items()},
        frozenset(called[path] for path, node in nodes.items() if node.draft.below is None),
    )


def _nodes(drafts: Iterable[Draft], warnings: list[TranslationWarning]) -> dict[Path, _Node]:
    """The nodes by path: parents before their children, siblings by name."""
    rivals: dict[Path, list[Draft]] = defaultdict(list)
    for draft in drafts:
        rivals[draft.path].append(draft)
    nodes: dict[Path, _Node] = {}
    below: dict[Path, list[_Node]] = defaultdict(list)
    for path in sorted(rivals, key=lambda path: (len(path), path), reverse=True):
        draft = _one(rivals[path], warnings)
        nodes[path] = node = _node(draft, below.pop(path, [])[::-1], warnings)
        below[path[:-1]].append(node)
    return dict(reversed(nodes.items()))


def _node(draft: Draft, below: Sequence[_Node], warnings: list[TranslationWarning]) -> _Node:
    children = [child.asked for child in below]
    if draft.covers_children:
        draft = fitting.covering(draft, resources.add(*children), warnings)
    draft = _in_role(draft, warnings, is_parent=bool(below))
    draft = fitting.held(draft, warnings)
    own = fitting.within_max(draft, warnings)
    asked = fitting.asked(draft, own, children)
    return _Node(draft, below, own, asked, asked)


def _one(rivals: Sequence[Draft], warnings: list[TranslationWarning]) -> Draft:
    if len(rivals) == 1:
        return rivals[0]
    chosen, *others = sorted(rivals, key=_content)
    text = f"there are two called '{'/'.join(chosen.path)}'; the limits are the other's"
    warnings.extend(other.warning("", text) for other in others)
    return chosen


def _content(draft: Draft) -> tuple[str, ...]:
    """Sort key: the content of a draft, and only then its place."""
    lists = (sorted(draft.min.items()), sorted(draft.max.items()), sorted(draft.namespaces))
    said = (*lists, draft.is_parent, draft.reclaim_grace, draft.nodes, draft.limits)
    rest = (sorted((draft.shared_weight or {}).items()), draft.allow_lent, draft.strict_queue)
    evictions = (draft.preemption, draft.over_max_delay)
    order = (draft.application_order, draft.orders_by_priority)
    imported = (*rest, draft.allowed_namespaces)
    return (repr((said, evictions, order)), repr(imported), draft.where)


def _in_role(draft: Draft, warnings: list[TranslationWarning], *, is_parent: bool) -> Draft:
    """A draft with children is a parent, and a parent binds no namespaces (Q3)."""
    is_parent = is_parent or draft.is_parent
    bound = tuple(sorted(set(draft.namespaces)))
    if bound and is_parent:
        warnings.append(draft.warning("namespaces", "only leaves have namespaces; not bound"))
        bound = ()
    return draft._replace(is_parent=is_parent, namespaces=bound)


def _called(nodes: Mapping[Path, _Node], spaces: Collection[str]) -> dict[Path, str]:
    """The name of each quota by its path."""
    plain = {path: naming.label(node.draft.name or "-".join(path)) for path, node in nodes.items()}
    unfit = [
        path
        for path, name in plain.items()
        if name in spaces and name not in nodes[path].draft.namespaces
    ]
    return plain | naming.hashed(plain, unfit)


def _bound_once(
    drafts: Iterable[Draft], warnings: list[TranslationWarning]
) -> dict[Path, tuple[str, ...]]:
    """The namespaces of each path; one that several drafts claim stays with the first (EQ1004).

    The default tree comes first, then the order of paths decides. A draft that waits for its tree
    keeps its place, so namespaces do not move when a tree appears or disappears.
    """
    holders: dict[str, Path] = {}
    bound: dict[Path, tuple[str, ...]] = {}
    for draft in sorted(drafts, key=lambda each: (each.below != names.ROOT_QUOTA, each.path)):
        path = draft.path
        bound[path] = tuple(
            name for name in draft.namespaces if holders.setdefault(name, path) == path
        )
        for name in draft.namespaces:
            if name not in bound[path]:
                text = f"'{name}' is bound by '{'/'.join(holders[name])}'; not bound here"
                warnings.append(draft.warning("namespaces", text))
    return bound


def _quota(node: _Node, name: str, parent: str | None, bound: tuple[str, ...]) -> Quota:
    draft = node.draft
    key = Key(draft.home, name)
    return Quota(
        key,
        uid="",
        created="",
        parent=parent or "",
        is_parent=draft.is_parent,
        min=node.min,
        max=node.max,
        # A quota named like its namespace binds it implicitly.
        namespaces=tuple(each for each in bound if not each == name == key.namespace),
        reclaim_grace=draft.reclaim_grace,
        preemption=draft.preemption,
        over_max_delay=draft.over_max_delay,
        application_order=draft.application_order,
        orders_by_priority=draft.orders_by_priority,
        nodes=draft.nodes,
        limits=draft.limits,
        shared_weight=_weight(draft.shared_weight, node.max),
        allow_lent=draft.allow_lent,
        strict_queue=draft.strict_queue,
        allowed_namespaces=draft.allowed_namespaces,
    )


def _weight(chosen: Resources | None, most: Resources) -> Resources | None:
    """A weight may name only resources that max names, if max names any (EQ1003)."""
    if chosen is None or not most:
        return chosen
    return resources.masked(chosen, most.keys() & chosen.keys()) or None
