"""Foreign objects from YAML, translated, and the answers of our webhook and controller."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import msgspec

from elasticquota import names, pool_keys
from elasticquota.derived import roots_to_come
from elasticquota.forest import acceptance
from elasticquota.integrations import capacity
from elasticquota.integrations.ack import trees as ack
from elasticquota.integrations.ack.flavors import Flavors
from elasticquota.integrations.ack.pools import Kinds
from elasticquota.integrations.translation.translation import Path, Translation
from elasticquota.integrations.yunikorn import queues as yunikorn_queues
from elasticquota.model.quota import Quota
from elasticquota.structs import replace
from elasticquota.validation import chains
from elasticquota.validation.change import Change
from elasticquota.wire.codec import yaml_text
from elasticquota.wire.codec.metadata import SpecManifest
from elasticquota.wire.integrations import ack_trees, capacity_quotas, queue_namespaces, queues
from elasticquota.wire.integrations.ack_trees import QuotaTree
from elasticquota.wire.kubernetes import resource_quotas
from elasticquota.wire.kubernetes.namespaces import NamespaceManifest
from elasticquota.wire.quota import quota_manifests, quotas
from elasticquota_cli.simulate.documents import Document
from elasticquota_import import Dialect, command
from elasticquota_import.sources import Given
from elasticquota_import.translators import resource_quota


def of_ack(
    *trees: Any,
    pools: Mapping[str, str] | None = None,
    flavors: Flavors | None = None,
    kinds: Kinds | None = None,
) -> Translation:
    """Translate decoded ElasticQuotaTrees; ``pools`` are the names of root quotas by profile."""
    found = map(ack_tree, trees)
    return ack.translate(found, pools=pools or {}, flavors=flavors or {}, kinds=kinds or {})


def ack_tree(document: Any) -> QuotaTree:
    """A decoded ElasticQuotaTree as it is read."""
    return ack_trees.read(msgspec.convert(document, SpecManifest))


def of_capacity(*found: Any) -> Translation:
    """Translate capacity scheduling's ElasticQuotas."""
    return capacity.translate(
        capacity_quotas.read(msgspec.convert(each, SpecManifest)) for each in found
    )


def of_yunikorn(config: Any, *namespaces: Any) -> Translation:
    """Translate a ``queues.yaml`` (None: it does not exist) and Namespaces."""
    return yunikorn_queues.translate(
        None if config is None else queues.read(config),
        [queue_namespaces.read(msgspec.convert(each, NamespaceManifest)) for each in namespaces],
    )


def of_asked(config: Any, asked: Collection[Path], *namespaces: Any) -> Translation:
    """Translate a ``queues.yaml`` as the controller does where pods have requested queues."""
    return yunikorn_queues.translate(
        None if config is None else queues.read(config),
        [queue_namespaces.read(msgspec.convert(each, NamespaceManifest)) for each in namespaces],
        yunikorn_queues.HOME,
        every=True,
        asked=asked,
    )


def of_resource_quotas(*found: Any) -> Translation:
    """Translate core/v1 ResourceQuotas."""
    return resource_quota.translate(
        resource_quotas.read(msgspec.convert(each, SpecManifest)) for each in found
    )


def of_kueue(*found: Any) -> Translation:
    """Translate Kueue's objects, each with its kind."""
    return _imported("kueue", found)


def of_hnc(*found: Any) -> Translation:
    """Translate HNC's objects and Namespaces, each with its kind."""
    return _imported("hnc", found)


def of_volcano(*found: Any) -> Translation:
    """Translate Volcano's Queues and Namespaces, each with its kind."""
    return _imported("volcano", found)


def of_kai(*found: Any) -> Translation:
    """Translate KAI Scheduler's Queues."""
    return _imported("kai", found)


def _imported(dialect: Dialect, found: Iterable[Any]) -> Translation:
    """What the command makes of the objects; the test fails for bad input."""
    documents = [Document(each, "f.yaml", number) for number, each in enumerate(found, start=1)]
    given = Given(documents, "kube-system")
    made = command.TRANSLATIONS[dialect](given).made
    assert [fault for fault in given.faults if not str(fault).startswith("there is no")] == []
    return made


def decoded(text: str) -> list[Any]:
    """The documents of a YAML text."""
    return list(yaml_text.documents(text))


def tree(root: Any, name: str = "tree", namespace: str = "kube-system", profile: str = "") -> Any:
    """An ElasticQuotaTree with this root node, bound to the profile if there is one."""
    metadata: Any = {"name": name, "namespace": namespace}
    if profile:
        metadata["annotations"] = {names.TREE_PROFILE: profile}
    return {"metadata": metadata, "spec": {"root": root}}


def read_back(found: Translation) -> tuple[Quota, ...]:
    """The quotas as our own reader finds them in what ``import`` prints.

    That they are stated by fields, which labels do not follow yet, is left out.
    """
    text = command.as_yaml(command.manifests(found))
    return tuple(
        replace(quotas.read(msgspec.convert(each, quotas.QuotaManifest)), stated=(), differences=())
        for each in decoded(text)
        if each and each["kind"] == names.QUOTA_KIND
    )


def refusals(found: Translation, spaces: Collection[str] = ()) -> list[str]:
    """The webhook's refusals when the manifests are created in their order.

    ``spaces`` are the namespaces of the cluster.
    """
    refused = []
    stored = [*roots_to_come.of(found.profiles).values()]
    for quota in aged(read_back(found)):
        change = Change(None, quota, name_of_namespace=quota.name in spaces)
        judged = chains.judge(change, acceptance.build(stored))
        refused += [violation.line for violation in judged.refused]
        stored.append(quota)
    return refused


def not_accepted(found: Translation) -> list[str]:
    """The quotas that the controller does not accept."""
    roots = roots_to_come.of(found.profiles).values()
    forest = acceptance.build([*roots, *aged(read_back(found))])
    return [
        f"{key}: {verdict.message}"
        for key, verdict in forest.verdicts.items()
        if verdict.reason != "Accepted"
    ]


def limits(found: Translation) -> dict[str, tuple[dict[str, str], dict[str, str]]]:
    """Min and max of every quota as written, by name; those of a pool by its key."""
    return {
        quota.name: (_bounds(spec, "min"), _bounds(spec, "max"))
        for quota in found.quotas
        for spec in [quota_manifests.manifest(quota, {})["spec"]]
    }


def _bounds(spec: Mapping[str, Any], side: str) -> dict[str, str]:
    inside = {
        pool_keys.key(pool["name"], resource): amount
        for pool in spec.get("pools", ())
        for resource, amount in pool.get(side, {}).items()
    }
    return {**spec.get(side, {}), **inside}


def weights(found: Translation) -> dict[str, dict[str, str]]:
    """The weight of every quota that has one, by name."""
    return {
        each["metadata"]["name"]: each["spec"]["weight"]
        for each in command.manifests(found)
        if "weight" in each["spec"]
    }


def lines(found: Translation) -> list[str]:
    """The warnings, with their places."""
    return [warning.line for warning in found.warnings]


def texts(found: Translation) -> list[str]:
    """The warnings, without their places."""
    return [warning.text for warning in found.warnings]


def aged(stored: Iterable[Quota]) -> list[Quota]:
    """The quotas as if they had been created one after the other."""
    return [
        replace(quota, created=f"2026-01-01T00:{age // 60:02}:{age % 60:02}Z", uid=f"uid-{age:04}")
        for age, quota in enumerate(stored)
    ]
