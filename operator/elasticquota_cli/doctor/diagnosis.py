"""Runs every rule of the doctor for which the user may read what it needs.

What may not be read costs only the rules that need it; the report names them.
"""

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from elasticquota.wire.admission.admission_policies import MUTATING, VALIDATING
from elasticquota_cli.doctor import (
    built_in,
    configuration,
    guarantees,
    installation,
    leadership,
    leftovers,
    nodes,
    passed_over,
    pods,
    policies,
    provisioning,
    report,
    resource_quotas,
    statuses,
    trees,
)
from elasticquota_cli.doctor.inventory import Inventory
from elasticquota_cli.doctor.report import Finding, Level, Report
from elasticquota_kube.client import paths
from elasticquota_kube.client.paths import Resource


_WORST_FIRST: Final[tuple[Level, ...]] = ("error", "warning", "info")


class DiagnosisRule(NamedTuple):
    """A check, and what it needs to read."""

    what: str
    """The subject of the rule, in words."""
    look: Callable[[Inventory], Iterator[Finding]]
    needs: tuple[Resource, ...] = ()
    whole: tuple[Resource, ...] = ()
    """Resources that it needs from all namespaces."""
    of_operator: bool = False
    """It is about the operator itself, and what it wrote."""


RULES: Final = (
    DiagnosisRule("our kinds", installation.look_at_definitions, of_operator=True),
    DiagnosisRule("versions of other kinds", installation.look_at_versions, of_operator=True),
    DiagnosisRule("the configuration", configuration.look, (paths.CONFIG_MAPS,), of_operator=True),
    DiagnosisRule(
        "the leader", leadership.look, (paths.CONFIG_MAPS, paths.LEASES), of_operator=True
    ),
    DiagnosisRule(
        "replicas", installation.look_at_replicas, (paths.DEPLOYMENTS,), of_operator=True
    ),
    DiagnosisRule(
        "webhook configurations",
        installation.look_at_webhooks,
        (paths.MUTATING_WEBHOOKS, paths.VALIDATING_WEBHOOKS),
        of_operator=True,
    ),
    DiagnosisRule("the webhook's authority", installation.look_at_authority, (paths.SECRETS,)),
    DiagnosisRule(
        "policies of the release",
        policies.look,
        (paths.CONFIG_MAPS, *paths.POLICIES[VALIDATING], *paths.POLICIES[MUTATING]),
        of_operator=True,
    ),
    DiagnosisRule("pods without a reason for waiting", pods.look_at_reasons, (paths.PODS,)),
    DiagnosisRule("claims of devices", pods.look_at_claims, (paths.PODS,)),
    DiagnosisRule(
        "conditions of quotas", statuses.look_at_quotas, (paths.QUOTAS,), of_operator=True
    ),
    DiagnosisRule(
        "conditions of profiles", statuses.look_at_profiles, (paths.PROFILES,), of_operator=True
    ),
    DiagnosisRule("built-in quotas", built_in.look, (paths.CONFIG_MAPS,), (paths.QUOTAS,)),
    # A sum over only some of the children would be too small and hide the problem.
    DiagnosisRule("guarantees that do not fit", guarantees.look, whole=(paths.QUOTAS,)),
    DiagnosisRule("resources of quotas", guarantees.look_at_resources, (paths.QUOTAS,)),
    DiagnosisRule("trees that hold too much", trees.look, whole=(paths.QUOTAS,)),
    DiagnosisRule("nodes in no pool", nodes.look_at_pools, (paths.NODES,)),
    DiagnosisRule(
        "nodes out of service", nodes.look_at_unschedulable, (paths.NODES,), (paths.QUOTAS,)
    ),
    DiagnosisRule("autoscalers", nodes.look_at_autoscalers, (paths.NODES, paths.KARPENTER_POOLS)),
    DiagnosisRule("unknown quotas", pods.look_at_quotas, (paths.PODS,), (paths.QUOTAS,)),
    DiagnosisRule(
        "ResourceQuotas beside quotas",
        resource_quotas.look,
        (paths.QUOTAS, paths.PODS, paths.RESOURCE_QUOTAS),
    ),
    DiagnosisRule("keys that are passed over", passed_over.look),
    DiagnosisRule("schedulers of pods", pods.look_at_schedulers, (paths.PODS, paths.QUOTAS)),
    DiagnosisRule(
        "pods on nodes of other trees",
        pods.look_at_trees,
        (paths.NODES, paths.PODS),
        (paths.QUOTAS, paths.PROFILES),
    ),
    DiagnosisRule("the kind of ProvisioningRequests", provisioning.look, (paths.CONFIG_MAPS,)),
    DiagnosisRule(
        "leftovers of job queues",
        leftovers.look,
        (paths.CONFIG_MAPS, paths.QUEUE_UNITS, paths.JOB_QUEUES),
    ),
)


def diagnose(inventory: Inventory, namespace: str = "", *, operator: bool = False) -> Report:
    """Run the rules; with a ``namespace``, keep findings about it or about all namespaces.

    ``operator``: only those about the operator itself.

    The notes name the rules that did not run, with what they lack.
    """
    findings: list[Finding] = []
    skipped: list[str] = []
    for rule in (each for each in RULES if each.of_operator or not operator):
        if inventory.can_say(*rule.needs, whole=rule.whole):
            findings += rule.look(inventory)
        else:
            skipped.append(_lacks(rule, inventory))
    findings = [each for each in findings if not namespace or each.concerns(namespace)]
    findings.sort(key=lambda each: (_WORST_FIRST.index(each.level), each.object, each.message))
    return Report(report.API_VERSION, findings, [*inventory.found.notes, *skipped])


def _lacks(rule: DiagnosisRule, inventory: Inventory) -> str:
    closed = [each for each in (*rule.needs, *rule.whole) if each in inventory.found.closed]
    why = [f"{each.plural}: {inventory.found.closed[each]}" for each in closed]
    why += [
        f"{each.plural}: you may not read those of all namespaces"
        for each in rule.whole
        if each in inventory.found.partly
    ]
    return f"not checked: {rule.what} ({'; '.join(why)})"
