"""The input of decisions at one moment, from a cluster or from files."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from elasticquota.ledger.ledger import Ledger
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.scheduling.policy import Policy


class Past(NamedTuple):
    """A pod that no longer counts, and why."""

    pod: Pod
    why: str


def finished(pod: Pod, phase: str) -> Past:
    """The entry for a pod that has finished in ``phase``."""
    return Past(pod, f"it has finished ({phase}), and counts nowhere")


@dataclass(frozen=True, slots=True)
class Inputs:
    """The objects and the policy that decisions are made from."""

    ledger: Ledger
    policy: Policy
    past: Mapping[Key, Past]
    """Pods that no longer count, by key."""
    notes: tuple[str, ...] = ()
    """What was not understood, one sentence each."""
