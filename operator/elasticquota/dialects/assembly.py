"""Drafts become quotas: one for each path, each namespace in one of them, all with names.

Which of two rivals is left out depends on what they say, never on which comes first.
"""

from collections import defaultdict
from collections.abc import Iterable

from elasticquota import names
from elasticquota.dialects import fitting, naming
from elasticquota.dialects.translation import Draft, Path, Remark, Translation
from elasticquota.model.key import Key
from elasticquota.model.quota import Quota


def build(drafts: Iterable[Draft], remarks: Iterable[Remark]) -> Translation:
    """The translation, with ``remarks`` and what is to be said besides."""
    said = list(remarks)
    chosen = _bound_once(_roles(_one_each(drafts, said), said), said)
    fitted = fitting.fit(chosen, said)
    called = naming.names_of({path: draft.name or "-".join(path) for path, draft in chosen.items()})
    quotas = []
    for path, (quota_min, quota_max) in fitted.items():
        draft = chosen[path]
        if draft.below is None:
            continue
        key = Key(draft.home, called[path])
        quotas.append(
            Quota(
                key,
                uid="",
                created="",
                parent=called.get(path[:-1], draft.below),
                is_parent=draft.is_parent,
                min=quota_min,
                max=quota_max,
                namespaces=_said(draft.namespaces, key),
                reclaim_grace=draft.reclaim_grace,
                nodes=draft.nodes,
                limits=draft.limits,
            )
        )
    origins = {called[path]: draft.origin for path, draft in chosen.items()}
    sources = {called[path]: draft.source for path, draft in chosen.items()}
    waiting = frozenset(called[path] for path, draft in chosen.items() if draft.below is None)
    return Translation(tuple(quotas), origins, tuple(sorted(said)), sources, waiting)


def _said(bound: tuple[str, ...], key: Key) -> tuple[str, ...]:
    """A quota binds the namespace that it is named like without saying so."""
    if key.name != key.namespace:
        return bound
    return tuple(name for name in bound if name != key.name)


def _one_each(drafts: Iterable[Draft], remarks: list[Remark]) -> dict[Path, Draft]:
    chosen: dict[Path, Draft] = {}
    rivals: dict[Path, list[Draft]] = defaultdict(list)
    for draft in drafts:
        if chosen.setdefault(draft.path, draft) is not draft:
            rivals[draft.path].append(draft)
    for path, found in rivals.items():
        chosen[path], *others = sorted([chosen[path], *found], key=_content)
        text = f"there are two called '{'/'.join(path)}'; the limits are the other's"
        remarks.extend(other.remark("", text) for other in others)
    return chosen


def _content(draft: Draft) -> tuple[str, ...]:
    """Sorts by what drafts say, and only then by where they stand."""
    lists = (sorted(draft.min.items()), sorted(draft.max.items()), sorted(draft.namespaces))
    said = (*lists, draft.is_parent, draft.reclaim_grace, draft.nodes, draft.limits)
    return (repr(said), draft.where)


def _roles(drafts: dict[Path, Draft], remarks: list[Remark]) -> dict[Path, Draft]:
    """Who has children is a parent, and a parent binds no namespaces (Q3)."""
    parents = {path[:-1] for path in drafts}
    found = dict(drafts)
    for path, draft in drafts.items():
        if not (draft.is_parent or path in parents):
            continue
        if draft.namespaces:
            remarks.append(draft.remark("namespaces", "only leaves have namespaces; not bound"))
        if draft.namespaces or not draft.is_parent:
            found[path] = draft._replace(is_parent=True, namespaces=())
    return found


def _bound_once(drafts: dict[Path, Draft], remarks: list[Remark]) -> dict[Path, Draft]:
    """A namespace that several bind stays with the first by path (EQ1004).

    The default tree comes first, and who waits keeps its turn: whether there is room for a tree
    moves no namespace to another one.
    """
    holders: dict[str, Path] = {}
    found = dict(drafts)
    for path, draft in sorted(drafts.items(), key=_turn):
        if not draft.namespaces:
            continue
        wanted = sorted(set(draft.namespaces))
        kept = tuple(name for name in wanted if holders.setdefault(name, path) == path)
        for name in wanted:
            if name not in kept:
                text = f"'{name}' is bound by '{'/'.join(holders[name])}'; not bound here"
                remarks.append(draft.remark("namespaces", text))
        if kept != draft.namespaces:
            found[path] = draft._replace(namespaces=kept)
    return found


def _turn(entry: tuple[Path, Draft]) -> tuple[bool, Path]:
    path, draft = entry
    return (draft.below != names.ROOT_QUOTA, path)
