"""The round of a doctor: every rule in its turn, as far as what it needs may be read.

What may not be read costs only the rules that need it, and these are named.
"""

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from elasticquota_cli.doctor import (
    definitions,
    finding,
    guarantees,
    leadership,
    leftovers,
    replicas,
    resource_quotas,
    schedulers,
    statuses,
    unknown_quotas,
    unreported,
    webhooks,
)
from elasticquota_cli.doctor.finding import Finding
from elasticquota_cli.doctor.inventory import Inventory
from elasticquota_kube.client import paths
from elasticquota_kube.client.paths import Resource


class Rule(NamedTuple):
    what: str
    """It looks at, in words."""
    look: Callable[[Inventory], Iterator[Finding]]
    needs: tuple[Resource, ...] = ()
    whole: tuple[Resource, ...] = ()
    """What it needs of all namespaces."""


RULES: Final = (
    Rule("our kinds", definitions.look),
    Rule("who leads", leadership.look, (paths.CONFIG_MAPS, paths.LEASES)),
    Rule("replicas", replicas.look, (paths.DEPLOYMENTS,)),
    Rule(
        "webhook configurations",
        webhooks.look,
        (paths.MUTATING_WEBHOOKS, paths.VALIDATING_WEBHOOKS),
    ),
    Rule("pods that nobody told why they wait", unreported.look, (paths.PODS,)),
    Rule("conditions of quotas", statuses.look_at_quotas, (paths.QUOTAS,)),
    Rule("conditions of profiles", statuses.look_at_profiles, (paths.PROFILES,)),
    # A sum over some of the children would be too small, and say that all is well.
    Rule("guarantees that do not fit", guarantees.look, whole=(paths.QUOTAS,)),
    Rule("quotas that there are not", unknown_quotas.look, (paths.PODS,), (paths.QUOTAS,)),
    Rule(
        "ResourceQuotas beside quotas",
        resource_quotas.look,
        (paths.QUOTAS, paths.PODS, paths.RESOURCE_QUOTAS),
    ),
    Rule("schedulers of pods", schedulers.look, (paths.PODS, paths.QUOTAS)),
    Rule(
        "what queues of jobs left behind",
        leftovers.look,
        (paths.CONFIG_MAPS, paths.QUEUE_UNITS, paths.JOB_QUEUES),
    ),
)


class Diagnosis(NamedTuple):
    findings: tuple[Finding, ...]
    """Worst first."""
    unlooked: tuple[str, ...]
    """The rules whose turn it was not, with what they lack; one sentence each."""


def diagnose(inventory: Inventory, namespace: str = "") -> Diagnosis:
    """With a ``namespace`` only what concerns it or everybody."""
    found: list[Finding] = []
    unlooked: list[str] = []
    for rule in RULES:
        if inventory.can_say(*rule.needs, whole=rule.whole):
            found += rule.look(inventory)
        else:
            unlooked.append(_lacks(rule, inventory))
    return Diagnosis(
        finding.worst_first(each for each in found if not namespace or each.concerns(namespace)),
        tuple(unlooked),
    )


def _lacks(rule: Rule, inventory: Inventory) -> str:
    closed = [each for each in (*rule.needs, *rule.whole) if each in inventory.closed]
    why = [f"{each.plural}: {inventory.closed[each]}" for each in closed]
    why += [
        f"{each.plural}: you may not read those of all namespaces"
        for each in rule.whole
        if each in inventory.partly
    ]
    return f"not looked at: {rule.what} ({'; '.join(why)})"
