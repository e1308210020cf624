"""Reports pods that will wait for long: without a reason, a quota, claims or a scheduler.

And pods on nodes of another tree, which shrink what that tree shares.
"""

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from elasticquota import names
from elasticquota.forest import wording
from elasticquota.forest.membership import NO_QUOTA
from elasticquota.model import moments, tree_ids, wait_reason
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota_cli.doctor.inventory import Inventory
from elasticquota_cli.doctor.report import Finding
from elasticquota_cli.failures import nearest


_CLAIM: Final = "WaitingForClaim"
_PATIENCE: Final = 60
_EXTERNAL_SYSTEMS: Final = {
    "capacityscheduler": "capacity scheduling",
    "scheduler-plugins-scheduler": "capacity scheduling",
    "koord-scheduler": "Koordinator",
    "yunikorn": "YuniKorn",
}


def look_at_reasons(inventory: Inventory) -> Iterator[Finding]:
    """One finding for all pods at the gate without the reason that the controller soon writes."""
    silent = [pod for pod in inventory.pods if _lacks_message(pod, inventory.now)]
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


def _lacks_message(pod: Pod, now: int) -> bool:
    if not pod.gated or pod.deleting or wait_reason.of(pod.waiting_message):
        return False
    made = moments.read(pod.created)
    return made is not None and now - made > _PATIENCE * 1000


def look_at_quotas(inventory: Inventory) -> Iterator[Finding]:
    """One finding for each namespace and name of a quota that does not exist.

    Until there is such a quota, another one counts, or none.
    """
    members = inventory.members
    strays: dict[tuple[str, str], list[Pod]] = defaultdict(list)
    for pod in inventory.pods:
        if members.unknown_label(pod) and members.quota_of(pod) != names.SYSTEM_QUOTA:
            strays[pod.key.namespace, pod.quota_label].append(pod)
    known = [quota.name for quota in inventory.quotas]
    for (namespace, label), pods in sorted(strays.items()):
        instead = members.quota_of(pods[0])
        counts = "none counts" if instead == NO_QUOTA else f"quota {instead} counts instead"
        yield Finding(
            "warning",
            f"Namespace {namespace}",
            f"{wording.counted(len(pods), 'pod')} ({_named(pods)}) with label "
            f"{names.QUOTA_NAME}={label}, and there is no such quota: until there is, {counts}"
            f"{nearest.hint(label, known)}",
            f"create quota {label}, or correct the label where the pods are made",
            (namespace,),
        )


def look_at_claims(inventory: Inventory) -> Iterator[Finding]:
    """One finding for each namespace with pods whose claims cannot be counted, and why."""
    waiting: dict[str, list[Pod]] = defaultdict(list)
    for pod in inventory.pods:
        if pod.gated and wait_reason.of(pod.waiting_message) == _CLAIM:
            waiting[pod.key.namespace].append(pod)
    for namespace, pods in sorted(waiting.items()):
        first = min(pods, key=lambda pod: pod.key)
        yield Finding(
            "warning",
            f"Namespace {namespace}",
            f"{wording.counted(len(pods), 'pod')} ({_named(pods)}) cannot be admitted for the "
            f"claims of devices; {first.key.name}: {first.waiting_message}",
            "create or correct what the message names",
            (namespace,),
        )


def look_at_schedulers(inventory: Inventory) -> Iterator[Finding]:
    """One finding for each namespace and scheduler other than the stock one (C18).

    Only pods without a node are reported. A scheduler is known to run only if it has placed another
    pod. The scheduler of an external system has quotas of its own, and a pod must fit in both.
    """
    waiting: dict[tuple[str, str], list[Pod]] = defaultdict(list)
    running: set[str] = set()
    for pod in inventory.pods:
        if pod.scheduler == names.STOCK_SCHEDULER:
            continue
        if pod.bound:
            running.add(pod.scheduler)
        elif inventory.members.quota_of(pod) != names.SYSTEM_QUOTA:
            waiting[pod.key.namespace, pod.scheduler].append(pod)
    for (namespace, scheduler), pods in sorted(waiting.items()):
        system = _EXTERNAL_SYSTEMS.get(scheduler)
        if system is None and scheduler in running:
            continue
        yield Finding(
            "info" if system is None else "warning",
            f"Namespace {namespace}",
            f"{wording.counted(len(pods), 'pod')} without a node ({_named(pods)}) with "
            f"schedulerName {scheduler}: {_consequence(system, runs=scheduler in running)}",
            "leave schedulerName out where the pods are made, unless that scheduler is wanted",
            (namespace,),
        )


def look_at_trees(inventory: Inventory) -> Iterator[Finding]:
    """One finding for each profile with pods of other trees on its nodes.

    A release keeps a pod to the nodes of its tree, unless a node or the quota goes to another tree
    later. A pod that never had the gate may be anywhere, as pods of no quota may, which are not
    named (docs/threats.md, S-42).
    """
    members = inventory.members
    owners = {
        node: profile
        for profile in inventory.profiles
        for node in inventory.capacities[profile.key].node_names
    }
    of_other_trees: dict[Key, list[Pod]] = defaultdict(list)
    for pod in inventory.pods:
        profile = owners.get(pod.node_name)
        quota = members.quota_of(pod)
        tree = members.forest.tree_of.get(quota)
        if profile is None or tree is None or quota in names.RESERVED_QUOTAS:
            continue
        if tree != tree_ids.of(profile):
            of_other_trees[profile.key].append(pod)
    for key, pods in sorted(of_other_trees.items()):
        quotas = sorted({members.quota_of(pod) for pod in pods})
        yield Finding(
            "warning",
            f"ElasticQuotaProfile {key}",
            f"{wording.counted(len(pods), 'pod')} of other trees on its nodes "
            f"({wording.some(sorted(str(pod.key) for pod in pods))}; quota "
            f"{wording.some(quotas)}): its tree shares less by what they hold",
            "delete them where that may be: new pods of these quotas wait for nodes of their own "
            "tree",
            (key.namespace, *sorted({pod.key.namespace for pod in pods} - {key.namespace})),
        )


def _consequence(system: str | None, *, runs: bool) -> str:
    if runs:
        return f"the scheduler of {system} runs, and what it limits comes on top of our quotas"
    whose = f"the scheduler of {system}" if system else "it"
    return f"once admitted, not placed unless {whose} runs"


def _named(pods: list[Pod]) -> str:
    return wording.some(sorted(pod.key.name for pod in pods))
