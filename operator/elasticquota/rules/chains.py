"""The order in which rules are asked, as plain lists.

A stage reports all its faults at once; the next stage is asked only when the one before found
none, because sums over a parent that does not exist say nothing.
"""

from collections.abc import Callable, Sequence
from typing import Final

from elasticquota.forest.structure import Forest
from elasticquota.rules import (
    binding,
    bounds,
    ceiling,
    in_use,
    min_sum,
    naming,
    parentage,
    removal,
    resource_keys,
    role,
    tree_identity,
)
from elasticquota.rules.change import Change
from elasticquota.rules.violation import Violation


Rule = Callable[[Change, Forest], tuple[Violation, ...]]
Stage = Sequence[Rule]
Stages = Sequence[Stage]

SHAPE: Final[Stage] = [
    bounds.check,  # EQ1001-1004, EQ1112: what it says about itself
]
REFERENCES: Final[Stage] = [
    naming.check,  # EQ1102, EQ1110: its name
    parentage.check,  # EQ1101: its parent
    tree_identity.check,  # EQ1107: its tree
    role.check,  # EQ1106: parent or leaf
    resource_keys.check,  # EQ1103: its resources
    binding.check,  # EQ1004: its namespaces
    removal.check,  # EQ1111: what it leaves behind
]
SUMS: Final[Stage] = [
    min_sum.check,  # EQ1104: promises to and by it
    in_use.check,  # EQ1112: what its pods use
]
ADVICE: Final[Stage] = [
    ceiling.check,  # EQ1105: a max that never comes true
    in_use.advise,  # EQ1112: a max below what its pods use
]

FOR_USERS: Final[Stages] = [SHAPE, REFERENCES, SUMS]
FOR_USERS_WITH_EQUAL_KEYS: Final[Stages] = [
    SHAPE,
    [*REFERENCES, resource_keys.check_equal],  # EQ1103: none of its parent's left out either
    SUMS,
]
# The controller writes root quotas, whose min follows the nodes and whose place follows profiles.
FOR_THE_CONTROLLER: Final[Stages] = [SHAPE]


def judge(change: Change, forest: Forest, stages: Stages = FOR_USERS) -> tuple[Violation, ...]:
    """All violations of the first stage that has any."""
    if change.means_nothing:
        return ()
    for stage in stages:
        violations = tuple(violation for rule in stage for violation in rule(change, forest))
        if violations:
            return violations
    return ()


def advise(change: Change, forest: Forest) -> tuple[Violation, ...]:
    """What a permitted change should be warned of."""
    if change.means_nothing:
        return ()
    return tuple(violation for rule in ADVICE for violation in rule(change, forest))
