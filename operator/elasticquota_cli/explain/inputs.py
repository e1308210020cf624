"""A scene is all that decisions are made of, at one moment: from a cluster or from files."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from elasticquota.ledger.ledger import Ledger
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.scheduling.policy import Policy


class Past(NamedTuple):
    """A pod that counts nowhere any more, and why."""

    pod: Pod
    why: str


def finished(pod: Pod, phase: str) -> Past:
    return Past(pod, f"it has finished ({phase}), and counts nowhere")


@dataclass(frozen=True, slots=True)
class Inputs:
    ledger: Ledger
    policy: Policy
    past: Mapping[Key, Past]
    notes: tuple[str, ...] = ()
    """What could not be understood, one sentence each."""
