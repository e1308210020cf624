"""A pod of a tree runs on the tree's nodes: their selector becomes required node affinity.

The terms of a required affinity are alternatives, and all expressions of one term must hold. So the
selector is added to every term. A term without any expression matches no node and stays unchanged,
because an added expression would make it match. Preferences and matchFields are not changed.
Expressions that are already there are not added again, so applying this twice changes nothing.

The selector is checked again when the pod is ungated: it may have been edited meanwhile, or the
webhook may have been down when the pod was created. Until then only ``demands`` is kept of a
waiting pod's affinity.
"""

from collections.abc import Mapping, Sequence
from typing import Final, get_args

from elasticquota.model.selector import Operator, Requirement, Selector
from elasticquota.structs import Struct


MOST: Final = 16
"""The most texts (keys and values) to keep of a pod's affinity: several times a usual selector."""

_OPERATORS: Final[Mapping[str, Operator]] = {operator: operator for operator in get_args(Operator)}
"""The operators that a ``Selector`` can have."""


class Term(Struct, frozen=True):
    """One alternative of the pod's required affinity."""

    expressions: tuple[tuple[str, str, frozenset[str]], ...] = ()
    """Key, operator and values; the operator may be one that a ``Selector`` does not have."""
    fields: bool = False
    """It has matchFields."""

    @property
    def matches_nothing(self) -> bool:
        """Whether the term is empty and so matches no node."""
        return not self.expressions and not self.fields


class Narrowing(Struct, frozen=True):
    """What to add to a pod's required affinity."""

    new_term: tuple[Requirement, ...] = ()
    """The requirements of a new term; empty: no new term."""
    by_term: tuple[tuple[Requirement, ...], ...] = ()
    """For each existing term, in order, the missing requirements."""


NOTHING = Narrowing()


def narrow(terms: Sequence[Term], selector: Selector) -> Narrowing:
    """Return what to add so that the required affinity ``terms`` implies the selector.

    No ``terms`` means that the pod has no required affinity. An empty selector adds nothing. Nor
    does the selector of a profile whose selector cannot be read: no node can satisfy it, it cannot
    be written as affinity, and its tree has no room anyway.
    """
    requirements = selector.requirements
    if any(not requirement.key for requirement in requirements):
        return NOTHING
    if not terms:
        return Narrowing(new_term=requirements)
    return Narrowing(by_term=tuple(_missing(term, requirements) for term in terms))


def demands(terms: Sequence[Term]) -> frozenset[Requirement]:
    """Return the expressions that all ``terms`` share, so every node that they match has them.

    Empty if no term can match a node, and for more than ``MOST`` texts: then the pod itself is read
    again when it matters.
    """
    alternatives = [term for term in terms if not term.matches_nothing]
    if not alternatives:
        return frozenset()
    shared = frozenset.intersection(*(frozenset(term.expressions) for term in alternatives))
    requirements = frozenset(
        Requirement(key, _OPERATORS[operator], tuple(sorted(values)))
        for key, operator, values in shared
        if operator in _OPERATORS
    )
    texts = sum(1 + len(requirement.values) for requirement in requirements)
    return requirements if texts <= MOST else frozenset()


def implied(selector: Selector, demanded: frozenset[Requirement]) -> bool:
    """Whether a pod whose affinity has these ``demands`` lacks nothing of ``selector``.

    False only means that the pod must be read: ``narrow`` may still find nothing to add.
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
