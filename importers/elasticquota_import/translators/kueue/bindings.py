"""LocalQueues say which namespaces use a ClusterQueue.

A namespace belongs to one quota. If its LocalQueues lead to several ClusterQueues, the one called
``default`` counts, else the first by name; pods of the others have to name their quota.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Final, NamedTuple

from elasticquota import names
from elasticquota.integrations.translation import translation
from elasticquota.integrations.translation.translation import TranslationWarning
from elasticquota.wire.codec import fields
from elasticquota_import.manifests import kueue_queues
from elasticquota_import.manifests.kueue_queues import LocalQueue
from elasticquota_import.translators import lineage


_DEFAULT: Final = "default"


class Bindings(NamedTuple):
    """The namespaces of each ClusterQueue, by its name."""

    bound: Mapping[str, tuple[str, ...]]
    """Whose pods belong to it without naming it."""
    allowed: Mapping[str, tuple[str, ...]]
    """Whose pods may name it."""


def of(
    queues: Iterable[LocalQueue], known: Collection[str], warnings: list[TranslationWarning]
) -> Bindings:
    """Bind each namespace to one of the ``known`` ClusterQueues; adds to ``warnings``."""
    places: dict[str, list[LocalQueue]] = defaultdict(list)
    allowed: dict[str, set[str]] = defaultdict(set)
    for queue in _chosen(queues, warnings):
        warnings += _of_fields(queue)
        space = queue.key.namespace
        if not fields.is_name(space):
            text = f"must name a namespace, got {fields.shown(space)}; not bound"
            warnings.append(TranslationWarning(source(queue), "metadata.namespace", text))
        elif queue.cluster_queue in known:
            places[space].append(queue)
            allowed[queue.cluster_queue].add(space)
        elif queue.cluster_queue:
            shown = fields.shown(queue.cluster_queue)
            text = f"there is no ClusterQueue {shown} in what was given; '{space}' is not bound"
            warnings.append(TranslationWarning(source(queue), "spec.clusterQueue", text))
    bound: dict[str, list[str]] = defaultdict(list)
    for space, local_queues in sorted(places.items()):
        first, *others = sorted(
            local_queues, key=lambda each: (each.key.name != _DEFAULT, each.key.name)
        )
        bound[first.cluster_queue].append(space)
        for other in others:
            if other.cluster_queue != first.cluster_queue:
                text = (
                    f"'{space}' is bound to ClusterQueue {fields.shown_key(first.cluster_queue)}, "
                    f"by LocalQueue {fields.shown_key(first.key.name)}; label the pods of this one "
                    f"with their quota, by {names.QUOTA_NAME}"
                )
                warnings.append(TranslationWarning(source(other), "spec.clusterQueue", text))
    return Bindings(
        {name: tuple(spaces) for name, spaces in bound.items()},
        {name: tuple(sorted(spaces)) for name, spaces in allowed.items()},
    )


def source(queue: LocalQueue) -> str:
    """The name of the LocalQueue in warnings."""
    space, name = map(fields.shown_key, queue.key)
    return f"{kueue_queues.LOCAL_QUEUE} {space}/{name}"


def _chosen(
    queues: Iterable[LocalQueue], warnings: list[TranslationWarning]
) -> Iterable[LocalQueue]:
    return lineage.named(queues, lambda each: str(each.key), source, warnings).values()


def _of_fields(queue: LocalQueue) -> Iterable[TranslationWarning]:
    yield from translation.of_faults(source(queue), queue.faults)
    if queue.stop != kueue_queues.NONE:
        text = f"{queue.stop} is not taken over: pods of the namespace may start"
        yield TranslationWarning(source(queue), "spec.stopPolicy", text)
    for key in queue.others:
        yield TranslationWarning(source(queue), f"spec.{key}", "is not taken over")
