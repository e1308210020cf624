"""Reports pods that name a quota that does not exist; meanwhile another quota counts, or none."""

from collections import defaultdict
from collections.abc import Iterator

from elasticquota import names
from elasticquota.forest.membership import NOBODY
from elasticquota.model.pod import Pod
from elasticquota_cli import nearest, wording
from elasticquota_cli.doctor.finding import Finding
from elasticquota_cli.doctor.inventory import Inventory


def look(inventory: Inventory) -> Iterator[Finding]:
    """One finding for each namespace and unknown name."""
    members = inventory.members
    strays: dict[tuple[str, str], list[Pod]] = defaultdict(list)
    for pod, _ in inventory.pods:
        if members.unknown_label(pod) and members.quota_of(pod) != names.SYSTEM_QUOTA:
            strays[pod.key.namespace, pod.quota_label].append(pod)
    known = [quota.name for quota in inventory.quotas]
    for (namespace, label), pods in sorted(strays.items()):
        instead = members.quota_of(pods[0])
        counts = "none counts" if instead == NOBODY else f"quota {instead} counts instead"
        which = wording.some(sorted(pod.key.name for pod in pods))
        yield Finding(
            "warning",
            f"Namespace {namespace}",
            f"{wording.counted(len(pods), 'pod')} ({which}) with label {names.QUOTA_NAME}={label}, "
            f"and there is no such quota: until there is, {counts}"
            f"{nearest.hint(label, known)}",
            f"create quota {label}, or correct the label where the pods are made",
            (namespace,),
        )
