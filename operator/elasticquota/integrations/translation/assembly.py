"""Turns branches into quotas with fitting names and limits; each namespace is bound once.

Which of two rivals is left out depends on their content, never on their order. An assembly keeps
its parts. The next one reuses a part when its branch is the same, and so is everything that was
decided across branches. So an edit costs the work above and below it, plus a look at all names and
namespaces.
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
    """What is decided about single paths with a view of all paths."""

    labels: Sequence[tuple[Path, str]] = ()
    called: Mapping[Path, str] = field(default_factory=dict)
    """Names of the paths that cannot have their label as name."""
    claims: Sequence[Claim] = ()
    bound: Mapping[Path, tuple[str, ...]] = field(default_factory=dict)
    """The namespaces left to paths that cannot bind all that they claim."""
    warnings: tuple[TranslationWarning, ...] = ()


class _Part(NamedTuple):
    """The quotas that were made from a branch."""

    branch: Branch
    promised: Resources
    """The min of its quota."""
    parent: str
    below: tuple["_Part", ...]
    max: Resources
    levels: tuple[tuple[Quota, ...], ...]
    """Its quotas by depth."""
    origins: Mapping[str, str]
    sources: Mapping[str, str]
    waiting: frozenset[str]
    warnings: tuple[TranslationWarning, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Assembly:
    """A translation, and the parts that it was made from."""

    translation: Translation
    parts: tuple[_Part, ...] = ()
    beyond: _Beyond = _Beyond()

    @property
    def branches(self) -> Mapping[Path, Branch]:
        """The top branches, by path."""
        return {part.branch.path: part.branch for part in self.parts}


NOTHING: Final = Assembly(Translation((), {}, (), {}))


def build(
    drafts: Iterable[Draft], warnings: Iterable[TranslationWarning], before: Assembly = NOTHING
) -> Assembly:
    """Assemble drafts in any order; ``warnings`` are added to those of the translation."""
    return assemble(branches.of(drafts, before.branches.values()), warnings, before)


def assemble(
    tops: Iterable[Branch], warnings: Iterable[TranslationWarning], before: Assembly = NOTHING
) -> Assembly:
    """Assemble branches in any order; the more alike any earlier ``before``, the less work."""
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
    """A namespace that several branches claim stays with the first by path (EQ1004).

    The default tree comes first. A branch that waits for its tree keeps its place, so namespaces do
    not move when a tree appears or disappears.
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
        # A quota named like its namespace binds it implicitly.
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
