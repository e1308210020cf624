"""Reports a configuration that does not work, and what the cluster has that does not go with it.

* No process can start with a configuration that is not understood; one that pauses all reclaim
  evicts nothing.
* The controller creates the objects of the three built-in quotas as soon as it leads. So a missing
  one says that it does not, or that the API server refuses it.
* Nodes may have to be asked for by a kind that is not installed.
* Units and queues remain after jobs are no longer queued; a user must delete them. Another queue
  controller may use units of the same kind, which cannot be distinguished from ours; the remedy
  says so. Of queues only those count that the controller made for leaves of a tree.
"""

from collections.abc import Iterator

from elasticquota import names
from elasticquota.forest import wording
from elasticquota.jobs import queues
from elasticquota.model.key import Key
from elasticquota_cli.doctor.inventory import Inventory
from elasticquota_cli.doctor.report import Finding
from elasticquota_kube.client.paths import PROVISIONING_REQUESTS


def look(inventory: Inventory) -> Iterator[Finding]:
    """At most one finding."""
    at = inventory.at
    if at.fault:
        yield Finding(
            "error",
            f"ConfigMap {at.map}",
            f"{at.fault}: processes that run keep the last good configuration, and none starts "
            "with this one",
            "correct it in the chart's values; elastic-quota config check FILE names all faults",
            (),
        )
    elif at.chosen.reclaim.paused:
        yield Finding(
            "warning",
            "Configuration",
            "reclaim.paused is true: no pod is evicted, so owners wait for what others borrow",
            "set config.reclaim.paused to false when the reason for it is gone",
            (),
        )


def look_at_built_in(inventory: Inventory) -> Iterator[Finding]:
    """At most one finding; none where the configuration or the namespace is not known."""
    at = inventory.at
    if not at.known or not at.home:
        return
    if at.chosen.beside_koordinator:
        yield Finding(
            "info",
            "Configuration",
            "besideKoordinator is true: every tree observes, and Koordinator decides",
            "docs/how-to/from-koordinator.md says how to switch",
            (),
        )
        return
    there = {quota.name for quota in inventory.quotas if quota.key.namespace == at.home}
    missing = sorted(names.RESERVED_QUOTAS - there)
    if missing:
        yield Finding(
            "warning",
            "Built-in quotas",
            f"{wording.some(missing)} missing in namespace {at.home}: what the default tree, pods "
            "without a quota and the system use is not visible",
            "check that the controller leads, and read its log",
            (at.home,),
        )


def look_at_provisioning(inventory: Inventory) -> Iterator[Finding]:
    """One finding if `provisioning.className` is set and the API server lacks the kind."""
    class_name = inventory.at.chosen.provisioning.class_name
    if class_name and PROVISIONING_REQUESTS in inventory.found.not_served:
        kind = f"{PROVISIONING_REQUESTS.plural}.{PROVISIONING_REQUESTS.group}"
        yield Finding(
            "warning",
            f"CustomResourceDefinition {kind}",
            f"provisioning.className is {class_name}, and the API server does not know this kind: "
            "groups and jobs start without asking the autoscaler for nodes",
            "install the definition of Cluster Autoscaler, or empty config.provisioning.className",
            (),
        )


def look_at_leftovers(inventory: Inventory) -> Iterator[Finding]:
    """One finding for all units, and one for all queues."""
    if not inventory.at.known or inventory.at.chosen.dialects.jobs:
        return
    if inventory.units:
        yield Finding(
            "warning",
            "QueueUnits",
            f"{_named(inventory.units, names.QUEUE_UNIT_KIND)} left with dialects.jobs off: "
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
            f"{_named(inventory.queues, names.JOB_QUEUE_KIND)} left with dialects.jobs off",
            f"kubectl delete {plural} -n {queues.HOME} {listed}",
            (queues.HOME,),
        )


def _named(keys: tuple[Key, ...], kind: str) -> str:
    return f"{wording.counted(len(keys), kind)} ({wording.some(sorted(map(str, keys)))})"
