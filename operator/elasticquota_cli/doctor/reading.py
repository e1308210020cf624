"""Turns stored objects into an inventory; a note names each object that is not understood.

Objects without a uid were written by hand, so no controller can have written their status.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from elasticquota import names
from elasticquota.jobs import queues
from elasticquota.model import moments
from elasticquota.model.fault import Fault
from elasticquota.model.profile import Profile
from elasticquota.wire.admission.admission_policies import BindingManifest
from elasticquota.wire.admission.review import AnyObject
from elasticquota.wire.codec import amounts, fields
from elasticquota.wire.codec.metadata import ObjectMeta, SpecManifest, StatusManifest
from elasticquota.wire.kubernetes import nodes, pods, resource_quotas
from elasticquota.wire.kubernetes.resource_quotas import ResourceQuota
from elasticquota.wire.quota import profiles, quotas
from elasticquota_cli.doctor.inventory import Found, InForce, Inventory, Stated, StatusCondition
from elasticquota_cli.live import installed
from elasticquota_config import config_map, model
from elasticquota_config.model import Configuration, ConfigurationError
from elasticquota_kube.client import paths
from elasticquota_kube.client.paths import Resource


_WEBHOOKS: Final = {
    paths.MUTATING_WEBHOOKS: "MutatingWebhookConfiguration",
    paths.VALIDATING_WEBHOOKS: "ValidatingWebhookConfiguration",
}


def in_force(collected: Found, chosen: Configuration | None) -> InForce:
    """The configuration in force: ``chosen`` or the ConfigMap's, which also gives the namespace."""
    for each in collected.all(paths.CONFIG_MAPS, installed.ConfigMap):
        text = (each.data or {}).get(config_map.CONFIGURATION)
        if text is None:
            continue
        home = each.metadata.namespace
        if chosen is not None:
            return InForce(chosen, home, known=True)
        try:
            return InForce(model.parse(text), home, known=True)
        except ConfigurationError as error:
            fault = str(error.faults[0])
            return InForce(Configuration(), home, map=str(each.metadata.key), fault=fault)
    return InForce(chosen or Configuration(), known=chosen is not None)


def inventory(collected: Found, at: InForce, now: int) -> Inventory:
    """Build the inventory; ``now`` in epoch milliseconds."""
    stored = collected.all(paths.QUOTAS, StatusManifest)
    of_nodes = collected.all(paths.NODES, nodes.NodeManifest)
    return Inventory(
        now=now,
        at=at,
        found=collected,
        quotas=tuple(
            quotas.read(quotas.QuotaManifest(each.metadata, each.spec)) for each in stored
        ),
        profiles=tuple(profiles_of(collected)),
        nodes=tuple(nodes.read(each) for each in of_nodes),
        keys_of_nodes=frozenset(key for each in of_nodes for key in _keys(each.metadata)),
        quota_statuses=tuple(_stated(stored)),
        profile_statuses=tuple(_stated(collected.all(paths.PROFILES, StatusManifest))),
        pods=tuple(
            pods.read(each)
            for each in collected.all(paths.PODS, pods.PodManifest)
            if not each.finished
        ),
        resource_quotas=tuple(_resource_quotas(collected)),
        leases=tuple(collected.all(paths.LEASES, installed.Lease)),
        deployments=tuple(collected.all(paths.DEPLOYMENTS, installed.Deployment)),
        hooks={
            kind: tuple(collected.all(resource, installed.HookConfiguration))
            for resource, kind in _WEBHOOKS.items()
        },
        policies=frozenset(
            (kind, each.metadata.name)
            for kind, (resource, _) in paths.POLICIES.items()
            for each in collected.all(resource, AnyObject)
        ),
        bindings={
            (f"{kind}Binding", each.metadata.name): each
            for kind, (_, resource) in paths.POLICIES.items()
            for each in collected.all(resource, BindingManifest)
        },
        units=tuple(each.metadata.key for each in collected.all(paths.QUEUE_UNITS, SpecManifest)),
        queues=tuple(
            each.metadata.key
            for each in collected.all(paths.JOB_QUEUES, SpecManifest)
            if each.metadata.namespace == queues.HOME and each.metadata.annotation(names.SOURCE)
        ),
    )


def policies_of(at: InForce) -> tuple[Resource, ...]:
    """The kinds of policies and bindings that the release made any of."""
    made = sorted({each.kind for each in at.chosen.installed_policies()})
    return tuple(resource for each in made for resource in paths.POLICIES[each])


def profiles_of(collected: Found) -> Iterator[Profile]:
    """The profiles as written."""
    scratch = Found(collected.objects)  # its notes are dropped; those of the statuses repeat them
    return (profiles.read(each) for each in scratch.all(paths.PROFILES, profiles.ProfileManifest))


def newest(collected: Found) -> int:
    """The last moment that any stored object names, in epoch milliseconds; 0 for none."""
    scratch = Found(collected.objects)  # its notes are dropped; the real reading repeats them
    times = [each.renewed for each in scratch.all(paths.LEASES, installed.Lease)]
    for resource in collected.objects:
        made = scratch.all(resource, SpecManifest)
        times += [moments.read(each.metadata.created) for each in made]
    return max((moment for moment in times if moment is not None), default=0)


def _keys(metadata: ObjectMeta) -> Iterator[str]:
    yield from metadata.labels or ()
    yield from metadata.annotations or ()


def _resource_quotas(collected: Found) -> Iterator[ResourceQuota]:
    for each in collected.all(paths.RESOURCE_QUOTAS, SpecManifest):
        quota = resource_quotas.read(each)
        collected.notes += [f"ResourceQuota {quota.key}: {fault}" for fault in quota.faults]
        yield quota


def _stated(stored: Sequence[StatusManifest]) -> Iterator[Stated]:
    ignored: list[Fault] = []  # faults in a status are reported elsewhere
    for each in stored:
        if not each.metadata.uid:
            continue
        status = fields.mapping(each.status, "status", ignored)
        conditions = tuple(_conditions(status.get("conditions")))
        observed = status.get("observedGeneration")
        yield Stated(
            key=each.metadata.key,
            generation=each.metadata.generation,
            observed=observed if isinstance(observed, int) else 0,
            conditions={condition.type: condition for condition in conditions},
            tree=fields.text(status.get("tree")),
            parent=fields.text(status.get("parent")),
            min=amounts.stored(status.get("min")),
            runtime=amounts.stored(status.get("runtime")),
            used=amounts.stored(status.get("used")),
        )


def _conditions(written: Any) -> Iterator[StatusCondition]:
    for each in written if isinstance(written, list) else ():
        if isinstance(each, Mapping):
            said = (each.get(key) for key in ("type", "status", "reason", "message"))
            yield StatusCondition(*map(fields.text, said))
