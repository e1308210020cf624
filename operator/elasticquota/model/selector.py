"""A label selector selects objects by their labels; every requirement must hold.

The semantics are those of ``metav1.LabelSelector``: ``In`` and ``Exists`` need the key, ``NotIn``
and ``DoesNotExist`` also hold when it is absent. An empty selector selects everything.
"""

from collections.abc import Mapping
from typing import Final, Literal

from elasticquota.structs import Struct


Operator = Literal["In", "NotIn", "Exists", "DoesNotExist"]


class Requirement(Struct, frozen=True, order=True):
    """One condition on one label; ``values`` is sorted and empty for the existence operators."""

    key: str
    operator: Operator
    values: tuple[str, ...] = ()

    def holds(self, labels: Mapping[str, str]) -> bool:
        """Whether the requirement holds for ``labels``."""
        match self.operator:
            case "In":
                return labels.get(self.key) in self.values
            case "NotIn":
                return labels.get(self.key) not in self.values
            case "Exists":
                return self.key in labels
            case "DoesNotExist":
                return self.key not in labels


class Selector(Struct, frozen=True):
    """Requirements in a fixed order; all of them must hold."""

    requirements: tuple[Requirement, ...] = ()

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Whether all requirements hold for ``labels``."""
        return all(requirement.holds(labels) for requirement in self.requirements)

    def within(self, other: "Selector") -> "Selector":
        """Return the selector of the objects that both select."""
        if not other.requirements:
            return self
        return Selector(tuple(sorted({*self.requirements, *other.requirements})))


EVERYTHING: Final = Selector()
"""The empty selector."""
