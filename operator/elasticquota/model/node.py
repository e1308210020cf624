"""A node: its labels, what it offers, and whether pods can be placed on it now."""

from collections.abc import Mapping
from dataclasses import dataclass

from elasticquota.resources import Resources


@dataclass(frozen=True, slots=True)
class Node:
    name: str
    created: str
    labels: Mapping[str, str]
    allocatable: Resources
    unschedulable: bool = False
    ready: bool = True

    @property
    def schedulable(self) -> bool:
        """Ready and not cordoned; others stay in the tree total and are listed apart (K 3)."""
        return self.ready and not self.unschedulable
