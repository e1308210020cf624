"""A pod that counts nowhere any more."""

from typing import NamedTuple

from elasticquota.model.pod import Pod


class Past(NamedTuple):
    """A pod that no longer counts, and why."""

    pod: Pod
    why: str


def finished(pod: Pod, phase: str) -> Past:
    """The entry for a pod that has finished in ``phase``."""
    return Past(pod, f"it has finished ({phase}), and counts nowhere")
