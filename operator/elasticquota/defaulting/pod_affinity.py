"""A pod of a tree runs on the tree's nodes: their selector becomes required node affinity.

The terms of a required affinity are alternatives, and all expressions of one term must hold. So the
selector is added to every term. A term without any expression matches no node and stays unchanged,
because an added expression would make it match. Preferences and matchFields are not changed.
Expressions that are already there are not added again, so applying this twice changes nothing. Nor
is what the pod's own nodeSelector demands: the API server lets labels be added to it only.

The selector is checked again when the pod is ungated: it may have been edited meanwhile, or the
webhook may have been down when the pod was created.
"""

from collections.abc import Mapping, Sequence

from elasticquota.model.constraints import NodeTerm
from elasticquota.model.selector import Requirement, Selector
from elasticquota.structs import Struct


class Narrowing(Struct, frozen=True):
    """What to add to a pod's required affinity."""

    new_term: tuple[Requirement, ...] = ()
    """The requirements of a new term; empty: no new term."""
    by_term: tuple[tuple[Requirement, ...], ...] = ()
    """For each existing term, in order, the missing requirements."""

    def __bool__(self) -> bool:
        return bool(self.new_term) or any(self.by_term)


NOTHING = Narrowing()


def narrow(labels: Mapping[str, str], terms: Sequence[NodeTerm], selector: Selector) -> Narrowing:
    """Return what to add to the required affinity ``terms`` so that the pod implies the selector.

    ``labels`` are its nodeSelector; no ``terms`` means that it has no required affinity. An empty
    selector adds nothing. Nor does the selector of a profile whose selector cannot be read: no node
    can satisfy it, it cannot be written as affinity, and its tree has no room anyway.
    """
    if any(not requirement.key for requirement in selector.requirements):
        return NOTHING
    requirements = tuple(
        each for each in selector.requirements if each.key not in labels or not each.holds(labels)
    )
    if not terms:
        return Narrowing(new_term=requirements)
    return Narrowing(by_term=tuple(_missing(term, requirements) for term in terms))


def _missing(term: NodeTerm, requirements: tuple[Requirement, ...]) -> tuple[Requirement, ...]:
    if term.matches_nothing or not requirements:
        return ()
    present = {(each.key, each.operator, frozenset(each.values)) for each in term.labels}
    return tuple(
        each
        for each in requirements
        if (each.key, each.operator, frozenset(each.values)) not in present
    )
