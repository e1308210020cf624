"""Branches become quotas: each namespace in one of them, all with names and limits that fit.

Who is left out depends on what rivals say, never on which comes first. An assembly keeps its parts,
and the next one takes a part again as it is where its branch is the same, and so is all that was
decided beyond the branch. So an edit costs what is above and below it, and a look at the names and
namespaces of all.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, zip_longest
from typing import Final, NamedTuple

from elasticquota.integrations.translation import branches, fitting, naming
from elasticquota.integrations.translation.branches import Branch, Claim
from elasticquota.integrations.translation.translation import (
    Draft,
    Path,
    Translation,
    TranslationWarning,
)
from elasticquota.model.key import Key
from elasticquota.model.quota import Quota
from elasticquota.resources import Resources


@dataclass(frozen=True, slots=True)
class _Beyond:
    """What is decided about single paths with a view to all."""

    labels: Sequence[tuple[Path, str]] = ()
    called: Mapping[Path, str] = field(default_factory=dict)
    """Those who cannot be called by their label."""
    claims: Sequence[Claim] = ()
    bound: Mapping[Path, tuple[str, ...]] = field(default_factory=dict)
    """What of their namespaces is left to those who do not have all of them."""
    warnings: tuple[TranslationWarning, ...] = ()


class _Part(NamedTuple):
    """What was made of a branch."""

    branch: Branch
    promised: Resources
    """Its min."""
    parent: str
    below: tuple["_Part", ...]
    max: Resources
    levels: tuple[tuple[Quota, ...], ...]
    """By how deep they are."""
    origins: Mapping[str, str]
    sources: Mapping[str, str]
    waiting: frozenset[str]
    warnings: tuple[TranslationWarning, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Assembly:
    """A translation, and the parts that it was put together of."""

    translation: Translation
    parts: tuple[_Part, ...] = ()
    beyond: _Beyond = _Beyond()

    @property
    def branches(self) -> Mapping[Path, Branch]:
        """Those that hang below no other."""
        return {part.branch.path: part.branch for part in self.parts}


NOTHING: Final = Assembly(Translation((), {}, (), {}))


def build(
    drafts: Iterable[Draft], warnings: Iterable[TranslationWarning], before: Assembly = NOTHING
) -> Assembly:
    """Of drafts in any order, with ``warnings`` and what is to be said besides."""
    return assemble(branches.of(drafts, before.branches.values()), warnings, before)


def assemble(
    tops: Iterable[Branch], warnings: Iterable[TranslationWarning], before: Assembly = NOTHING
) -> Assembly:
    """Of branches in any order; ``before`` is any other one, the more alike the better."""
    ordered = sorted(tops, key=lambda branch: branch.path)
    beyond = _beyond(ordered, before.beyond)
    is_same = (beyond.called, beyond.bound) == (before.beyond.called, before.beyond.bound)
    known = _by_path(before.parts if is_same else ())
    parts = tuple(
        _part(top, top.asked, top.draft.below or "", beyond, known.get(top.path)) for top in ordered
    )
    depths: dict[int, list[Quota]] = defaultdict(list)
    for part in parts:
        for depth, quotas in enumerate(part.levels, len(part.branch.path)):
            depths[depth] += quotas
    said = [*warnings, *beyond.warnings, *chain.from_iterable(part.warnings for part in parts)]
    found = Translation(
        tuple(chain.from_iterable(quotas for _, quotas in sorted(depths.items()))),
        _merged(part.origins for part in parts),
        tuple(sorted(said)),
        _merged(part.sources for part in parts),
        frozenset().union(*(part.waiting for part in parts)),
    )
    return Assembly(found, parts, beyond)


def _beyond(tops: Sequence[Branch], before: _Beyond) -> _Beyond:
    labels = [label for top in tops for label in top.labels]
    claims = [claim for top in tops for claim in top.claims]
    called, bound, warnings = before.called, before.bound, before.warnings
    if labels != before.labels:
        called = naming.hashed(dict(labels))
    if claims != before.claims:
        said: list[TranslationWarning] = []
        bound = _bound_once(claims, said)
        warnings = tuple(said)
    return _Beyond(labels, called, claims, bound, warnings)


def _bound_once(
    claims: Iterable[Claim], warnings: list[TranslationWarning]
) -> dict[Path, tuple[str, ...]]:
    """A namespace that several bind stays with the first by path (EQ1004).

    The default tree comes first, and who waits keeps its turn: whether there is room for a tree
    moves no namespace to another one.
    """
    holders: dict[str, Path] = {}
    left: dict[Path, tuple[str, ...]] = {}
    for claim in sorted(claims):
        kept = tuple(
            name for name in claim.namespaces if holders.setdefault(name, claim.path) is claim.path
        )
        if kept == claim.namespaces:
            continue
        left[claim.path] = kept
        where = f"{claim.where}.namespaces" if claim.where else "namespaces"
        for name in claim.namespaces:
            if name not in kept:
                text = f"'{name}' is bound by '{'/'.join(holders[name])}'; not bound here"
                warnings.append(TranslationWarning(claim.source, where, text))
    return left


def _part(
    branch: Branch, promised: Resources, parent: str, beyond: _Beyond, before: _Part | None
) -> _Part:
    if (
        before is not None
        and before.branch is branch
        and before.promised == promised
        and before.parent == parent
    ):
        return before
    draft, name = branch.draft, beyond.called.get(branch.path, branch.label)
    below: tuple[_Part, ...] = ()
    if branch.below:
        known = _by_path(before.below if before is not None else ())
        shares = fitting.shares(promised, [child.asked for child in branch.below])
        below = tuple(
            _part(child, share, name, beyond, known.get(child.path))
            for child, share in zip(branch.below, shares, strict=True)
        )
    said = list(branch.warnings)
    most = fitting.complete(draft, promised, [part.max for part in below], said)
    fitting.tell_of_min(draft, branch.own, promised, said)
    own: tuple[Quota, ...] = ()
    if draft.below is not None:
        bound = beyond.bound.get(branch.path, draft.namespaces)
        own = (_quota(Key(draft.home, name), draft, parent, promised, most, bound),)
    waiting = frozenset(() if own else (name,))
    found = _Part(
        branch,
        promised,
        parent,
        below,
        most,
        (own,),
        {name: draft.origin},
        {name: draft.source},
        waiting,
        tuple(said),
    )
    return _with_all_below(found) if below else found


def _with_all_below(part: _Part) -> _Part:
    below = part.below
    levels = zip_longest(*(child.levels for child in below), fillvalue=())
    return part._replace(
        levels=(*part.levels, *(tuple(chain.from_iterable(level)) for level in levels)),
        origins=_merged((part.origins, *(child.origins for child in below))),
        sources=_merged((part.sources, *(child.sources for child in below))),
        waiting=part.waiting.union(*(child.waiting for child in below)),
        warnings=(*part.warnings, *chain.from_iterable(child.warnings for child in below)),
    )


def _quota(
    key: Key, draft: Draft, parent: str, low: Resources, high: Resources, bound: tuple[str, ...]
) -> Quota:
    if key.name == key.namespace:
        # It binds the namespace that it is named like without saying so.
        bound = tuple(name for name in bound if name != key.name)
    return Quota(
        key,
        uid="",
        created="",
        parent=parent,
        is_parent=draft.is_parent,
        min=low,
        max=high,
        namespaces=bound,
        reclaim_grace=draft.reclaim_grace,
        nodes=draft.nodes,
        limits=draft.limits,
    )


def _by_path(parts: Iterable[_Part]) -> dict[Path, _Part]:
    return {part.branch.path: part for part in parts}


def _merged(found: Iterable[Mapping[str, str]]) -> dict[str, str]:
    merged: dict[str, str] = {}
    for each in found:
        merged.update(each)
    return merged
