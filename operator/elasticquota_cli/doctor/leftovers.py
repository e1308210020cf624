"""Reports units and queues that remain after jobs are no longer queued; a user must delete them.

Another queue controller may use units of the same kind, which cannot be distinguished from
ours; the remedy says so. Of queues only those count that the controller made for leaves of a tree.
"""

from collections.abc import Iterator

from elasticquota import names
from elasticquota.forest import wording
from elasticquota.jobs import queues
from elasticquota.model.key import Key
from elasticquota_cli.doctor.inventory import Inventory
from elasticquota_cli.doctor.report import Finding


def look(inventory: Inventory) -> Iterator[Finding]:
    """One finding for all units, and one for all queues."""
    if not inventory.at.known or inventory.at.chosen.dialects.jobs:
        return
    if inventory.units:
        yield Finding(
            "warning",
            "QueueUnits",
            f"{_counted(inventory.units, names.QUEUE_UNIT_KIND)} left with dialects.jobs off: "
            "explain still counts their jobs",
            "unless another queue controller uses them: kubectl delete "
            f"{names.QUEUE_UNIT_PLURAL} -A --all",
            tuple(sorted({key.namespace for key in inventory.units})),
        )
    if inventory.queues:
        plural = f"{names.JOB_QUEUE_PLURAL}.{names.JOB_QUEUE_GROUP}"
        listed = " ".join(sorted(key.name for key in inventory.queues))
        yield Finding(
            "info",
            "Queues",
            f"{_counted(inventory.queues, names.JOB_QUEUE_KIND)} left with dialects.jobs off",
            f"kubectl delete {plural} -n {queues.HOME} {listed}",
            (queues.HOME,),
        )


def _counted(keys: tuple[Key, ...], kind: str) -> str:
    return f"{wording.counted(len(keys), kind)} ({wording.some(sorted(map(str, keys)))})"
