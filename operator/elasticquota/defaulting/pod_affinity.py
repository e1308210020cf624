"""A pod of a tree runs on the tree's nodes: their selector becomes required node affinity.

The terms of a required affinity are alternatives and the expressions inside one term must all hold,
so the selector goes into every term. A term without any expression matches no node and stays as it
is, for adding to it would make it match. Preferences and matchFields are nobody's business here.
Expressions that are already there are not added again, so twice is the same as once.

A tree's nodes are looked at once more when the pod is released, because the selector may have been
edited meanwhile, or nobody was there when the pod was made. Until then only ``demands`` is kept of
a waiting pod's affinity.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, get_args

from elasticquota.model.selector import Operator, Requirement, Selector


MOST: Final = 16
"""Texts (keys and values) that are kept of one pod's affinity: several times a usual selector."""

_OPERATORS: Final[Mapping[str, Operator]] = {operator: operator for operator in get_args(Operator)}
"""Those that selectors have."""


@dataclass(frozen=True, slots=True)
class Term:
    """One alternative as found in the pod; ``operator`` may be one that selectors do not have."""

    expressions: tuple[tuple[str, str, frozenset[str]], ...] = ()
    fields: bool = False
    """It has matchFields."""

    @property
    def matches_nothing(self) -> bool:
        return not self.expressions and not self.fields


@dataclass(frozen=True, slots=True)
class Narrowing:
    """What to add."""

    new_term: tuple[Requirement, ...] = ()
    """Requirements of a term of their own; empty: no new term."""
    by_term: tuple[tuple[Requirement, ...], ...] = ()
    """For each existing term, in order, what it lacks."""


NOTHING = Narrowing()


def narrow(terms: Sequence[Term], selector: Selector) -> Narrowing:
    """What makes the required affinity ``terms`` (none: no requirement) imply the selector.

    An empty selector adds nothing. So does one that no node can satisfy, which a profile with a
    broken selector has: it cannot be expressed as affinity, and its tree has no room anyway.
    """
    requirements = selector.requirements
    if any(not requirement.key for requirement in requirements):
        return NOTHING
    if not terms:
        return Narrowing(new_term=requirements)
    return Narrowing(by_term=tuple(_missing(term, requirements) for term in terms))


def demands(terms: Sequence[Term]) -> frozenset[Requirement]:
    """What every node that ``terms`` can match fulfils: the expressions that all of them share.

    Nothing is claimed of terms that match no node at all, nor of more than ``MOST`` texts: such a
    pod is looked at itself when it matters.
    """
    alternatives = [term for term in terms if not term.matches_nothing]
    if not alternatives:
        return frozenset()
    shared = frozenset.intersection(*(frozenset(term.expressions) for term in alternatives))
    found = frozenset(
        Requirement(key, _OPERATORS[operator], tuple(sorted(values)))
        for key, operator, values in shared
        if operator in _OPERATORS
    )
    texts = sum(1 + len(requirement.values) for requirement in found)
    return found if texts <= MOST else frozenset()


def implied(selector: Selector, demanded: frozenset[Requirement]) -> bool:
    """Whether a pod whose affinity has these ``demands`` lacks nothing of ``selector``.

    False says only that the pod must be looked at: ``narrow`` may find nothing to add.
    """
    return demanded.issuperset(selector.requirements)


def _missing(term: Term, requirements: tuple[Requirement, ...]) -> tuple[Requirement, ...]:
    if term.matches_nothing:
        return ()
    return tuple(
        requirement
        for requirement in requirements
        if (requirement.key, requirement.operator, frozenset(requirement.values))
        not in term.expressions
    )
