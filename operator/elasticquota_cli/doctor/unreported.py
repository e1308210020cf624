"""Reports pods at the gate without the reason that the controller writes within seconds."""

from collections.abc import Iterator
from typing import Final

from elasticquota.model import moments
from elasticquota.model.pod import Pod
from elasticquota_cli import wording
from elasticquota_cli.doctor.finding import Finding
from elasticquota_cli.doctor.inventory import Inventory


_OURS: Final = ("quota ", "no quota: ")
"""How the controller's messages begin; before the first one, the scheduler's message is there."""
_PATIENCE: Final = 60


def look(inventory: Inventory) -> Iterator[Finding]:
    """One finding for all such pods: they have one cause."""
    silent = [seen.pod for seen in inventory.pods if _untold(seen.pod, inventory.now)]
    if silent:
        silent.sort(key=lambda pod: (pod.created, pod.key))
        named = wording.some([str(pod.key) for pod in silent])
        text = (
            f"{wording.counted(len(silent), 'pod')} at the gate for more than {_PATIENCE} s "
            f"without a message from the controller: {named}"
        )
        yield Finding(
            "error",
            "Pods at the gate",
            text,
            "check that the controller leads, and read its log; until it leads, no pod is admitted",
            tuple(sorted({pod.key.namespace for pod in silent})),
        )


def _untold(pod: Pod, now: int) -> bool:
    if not pod.gated or pod.deleting or pod.waiting_message.startswith(_OURS):
        return False
    made = moments.read(pod.created)
    return made is not None and now - made > _PATIENCE * 1000
