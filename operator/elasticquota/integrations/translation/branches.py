"""A branch is the quota of one path as an external system defines it, with all quotas below it.

It does not depend on what is beside or above it. ``assembly`` decides what needs a view of all
branches: names, namespaces that several branches bind, and the final min. So a branch stays the
same as long as its own input does, whatever is edited elsewhere.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from elasticquota import names
from elasticquota.integrations.translation import fitting, naming
from elasticquota.integrations.translation.translation import Draft, Path, TranslationWarning
from elasticquota.resources import Resources


class Claim(NamedTuple):
    """The namespaces that a draft wants to bind; claims sort in the order of precedence."""

    is_elsewhere: bool
    """Whether it is in another tree than the default one."""
    path: Path
    namespaces: tuple[str, ...]
    source: str
    where: str


class Branch(NamedTuple):
    """The draft of one path, fitted as far as it can be alone, with the branches below it."""

    draft: Draft
    """The draft that counts for its path, fitted to its role and to what a quantity can hold."""
    below: tuple["Branch", ...]
    """By name."""
    warnings: tuple[TranslationWarning, ...]
    """Warnings about the drafts of this path."""
    own: Resources
    """Its own min, cut to its max."""
    asked: Resources
    """The min that it asks for, with the branches below it."""
    labels: tuple[tuple[Path, str], ...]
    """Paths with their plain names: its own first, then those below it."""
    claims: tuple[Claim, ...]
    """Its own claims and those below it."""
    made_of: object = None
    """The input; an equal value makes an equal branch."""

    @property
    def path(self) -> Path:
        return self.draft.path

    @property
    def label(self) -> str:
        return self.labels[0][1]


def grown(
    rivals: Sequence[Draft],
    below: tuple[Branch, ...],
    warnings: Iterable[TranslationWarning] = (),
    made_of: object = None,
) -> Branch:
    """Build a branch from the drafts of one path, of which one counts; ``below`` is by name."""
    said = list(warnings)
    found = _in_role(_one(rivals, said), said, is_parent=bool(below))
    found = fitting.held(found, said)
    own = fitting.within_max(found, said)
    return Branch(
        found,
        below,
        tuple(said),
        own,
        fitting.asked(found, own, [child.asked for child in below]),
        (_label(found), *chain.from_iterable(child.labels for child in below)),
        (*_claims(found), *chain.from_iterable(child.claims for child in below)),
        made_of,
    )


def of(drafts: Iterable[Draft], before: Iterable[Branch] = ()) -> list[Branch]:
    """Build the top branches from drafts in any order; the parent's path is one name shorter.

    Branches in ``before`` that were made from equal input are reused.
    """
    known = {branch.path: branch for branch in _all(before)}
    rivals: dict[Path, list[Draft]] = defaultdict(list)
    for draft in drafts:
        rivals[draft.path].append(draft)
    waiting: dict[Path, list[Branch]] = defaultdict(list)
    tops: list[Branch] = []
    for path in sorted(rivals, key=len, reverse=True):
        below = tuple(sorted(waiting.pop(path, ()), key=lambda branch: branch.path))
        made_of = (rivals[path], below)
        found = known.get(path)
        if found is None or found.made_of != made_of:
            found = grown(rivals[path], below, (), made_of)
        (waiting[path[:-1]] if path[:-1] in rivals else tops).append(found)
    return tops


def _all(found: Iterable[Branch]) -> Iterator[Branch]:
    for branch in found:
        yield branch
        yield from _all(branch.below)


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
    return (repr(said), draft.where)


def _in_role(draft: Draft, warnings: list[TranslationWarning], *, is_parent: bool) -> Draft:
    """A draft with children is a parent, and a parent binds no namespaces (Q3)."""
    is_parent = is_parent or draft.is_parent
    bound = tuple(sorted(set(draft.namespaces)))
    if bound and is_parent:
        warnings.append(draft.warning("namespaces", "only leaves have namespaces; not bound"))
        bound = ()
    if bound == draft.namespaces and is_parent == draft.is_parent:
        return draft
    return draft._replace(is_parent=is_parent, namespaces=bound)


def _label(draft: Draft) -> tuple[Path, str]:
    return draft.path, naming.label(draft.name or "-".join(draft.path))


def _claims(draft: Draft) -> tuple[Claim, ...]:
    if not draft.namespaces:
        return ()
    is_elsewhere = draft.below != names.ROOT_QUOTA
    return (Claim(is_elsewhere, draft.path, draft.namespaces, draft.source, draft.where),)
