"""Reports waiting pods that name another scheduler than the stock one, which must place them (C18).

Only pods without a node are reported. A scheduler is known to run only if it has placed another
pod. The scheduler of an external system has quotas of its own, and a pod must fit in both.
"""

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from elasticquota import names
from elasticquota.model.pod import Pod
from elasticquota_cli import wording
from elasticquota_cli.doctor.finding import Finding
from elasticquota_cli.doctor.inventory import Inventory


STOCK: Final = "default-scheduler"
_EXTERNAL_SYSTEMS: Final = {
    "capacityscheduler": "capacity scheduling",
    "scheduler-plugins-scheduler": "capacity scheduling",
    "koord-scheduler": "Koordinator",
    "yunikorn": "YuniKorn",
}


def look(inventory: Inventory) -> Iterator[Finding]:
    """One finding for each namespace and scheduler."""
    waiting: dict[tuple[str, str], list[Pod]] = defaultdict(list)
    running: set[str] = set()
    for pod, scheduler in inventory.pods:
        if scheduler in ("", STOCK):
            continue
        if pod.bound:
            running.add(scheduler)
        elif inventory.members.quota_of(pod) != names.SYSTEM_QUOTA:
            waiting[pod.key.namespace, scheduler].append(pod)
    for (namespace, scheduler), pods in sorted(waiting.items()):
        system = _EXTERNAL_SYSTEMS.get(scheduler)
        if system is None and scheduler in running:
            continue
        which = wording.some(sorted(pod.key.name for pod in pods))
        yield Finding(
            "info" if system is None else "warning",
            f"Namespace {namespace}",
            f"{wording.counted(len(pods), 'pod')} without a node ({which}) with schedulerName "
            f"{scheduler}: {_consequence(system, runs=scheduler in running)}",
            "leave schedulerName out where the pods are made, unless that scheduler is wanted",
            (namespace,),
        )


def _consequence(system: str | None, *, runs: bool) -> str:
    if runs:
        return f"the scheduler of {system} runs, and what it limits comes on top of our quotas"
    whose = f"the scheduler of {system}" if system else "it"
    return f"once admitted, not placed unless {whose} runs"
