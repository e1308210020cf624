"""Translates a namespace's ResourceQuotas into the max of one quota of its name, with min 0.

All of them apply at once, so the smallest limit of a resource counts. Pods that a ResourceQuota
refuses at creation wait here until there is room. Not taken over: quotas of limits, of storage and
of object counts, ResourceQuotas that count only some of the pods, and those that HNC makes.
"""

from collections import defaultdict
from collections.abc import Iterable
from typing import Final

from elasticquota import resources
from elasticquota.integrations.translation import assembly, translation
from elasticquota.integrations.translation.translation import Draft, Translation, TranslationWarning
from elasticquota.resources import Resources
from elasticquota.wire.codec import amounts
from elasticquota.wire.kubernetes.resource_quotas import HIERARCHY, ResourceQuota


KIND: Final = "ResourceQuota"


def translate(quotas: Iterable[ResourceQuota]) -> Translation:
    """A quota for each namespace in which a ResourceQuota limits the requests of pods."""
    warnings: list[TranslationWarning] = []
    found: dict[str, list[ResourceQuota]] = defaultdict(list)
    for quota in quotas:
        source = f"{KIND} {quota.key}"
        warnings += translation.of_faults(source, quota.faults)
        if quota.of_hierarchy:
            text = "HNC makes it from its own quotas; not taken over, import those"
            warnings.append(TranslationWarning(source, f"metadata.labels[{HIERARCHY}]", text))
            continue
        if is_counted(quota, source, "the ResourceQuota", warnings):
            found[quota.key.namespace].append(quota)
    return assembly.build((_draft(name, each) for name, each in sorted(found.items())), warnings)


def is_counted(
    quota: ResourceQuota, source: str, keep: str, warnings: list[TranslationWarning]
) -> bool:
    """Whether it has limits that a quota can have; adds to ``warnings`` what is not taken over.

    ``keep`` is what still limits the rest.
    """
    if quota.scoped:
        text = "counts only some of the pods; not taken over"
        warnings.append(TranslationWarning(source, "spec.scopes", text))
        return False
    for key in quota.others:
        text = f"limits nothing that a quota counts; not taken over, keep {keep}"
        warnings.append(TranslationWarning(source, amounts.path("spec.hard", key), text))
    return bool(quota.hard)


def _draft(namespace: str, quotas: list[ResourceQuota]) -> Draft:
    hard: Resources = {}
    for quota in quotas:
        hard = resources.minimum(hard, quota.hard)
    named = ",".join(sorted({quota.key.name for quota in quotas}))
    return Draft(
        (namespace,),
        f"{KIND}s of {namespace}",
        "",
        home=namespace,
        origin=f"resourcequota:{namespace}/{named}",
        name=namespace,
        max=hard,
        namespaces=(namespace,),
    )
