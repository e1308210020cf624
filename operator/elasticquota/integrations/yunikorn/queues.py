"""Translates YuniKorn's queues: each becomes a quota named by its path.

Queues that are made for namespaces do, too. The root queue follows the cluster (Y2), as our default
tree does, so its children are the first level. Only if the root has limits of users or
applications, its children are below a quota with these limits. Guaranteed is min. Namespaces get
queues from the placement rules (``placement``), with the limits of their annotations (Y16) or of
the nearest child template. Queues that pods ask for (``requested_queues``) have the template's
limits, too. ``preemption.delay`` is the grace of reclaim and is inherited. Limits of users and
groups, and of applications (Y8, Y9), are limits of the quota. Of partitions, ``default`` counts.

Every other field of a queue gives a warning and is not taken over.
"""

from collections.abc import Collection, Iterable, Iterator
from typing import Final

from elasticquota import names
from elasticquota.integrations.translation import assembly, translation
from elasticquota.integrations.translation.translation import (
    Draft,
    Path,
    Translation,
    TranslationWarning,
)
from elasticquota.integrations.yunikorn import inherited, origin, placement, properties, rules
from elasticquota.integrations.yunikorn.dynamic_queues import Maker
from elasticquota.model.limit import Limit, QuotaLimits
from elasticquota.wire.codec import amounts
from elasticquota.wire.integrations.placement_rules import PlacementRule
from elasticquota.wire.integrations.queue_namespaces import QueueNamespace
from elasticquota.wire.integrations.queues import (
    ROOT,
    ConfiguredQueue,
    Partition,
    QueueConfig,
    QueueResources,
)


NAME: Final = origin.DIALECT
"""The mark of quotas that follow YuniKorn (`names.DIALECT`)."""
HOME: Final = "kube-system"
CONFIG: Final = "queues.yaml"
_PARTITION: Final = "default"
# YuniKorn's behavior without a configuration (Y13).
_USUAL: Final = QueueConfig(
    (
        Partition(
            "", _PARTITION, rules=(PlacementRule("", rules.TAG, rules.NAMESPACE, create=True),)
        ),
    )
)
_QUEUE_FIELDS: Final = {
    "childtemplate.properties": "properties of made queues are not taken over",
}
_TOO_LARGE: Final = 2**63
_NO_LIMIT: Final = "limits nothing in YuniKorn, which calls it vcore; left out"
_PARTITION_FIELDS: Final = {
    "nodesortpolicy": "the scheduler chooses nodes; not taken over",
}


def translate(
    config: QueueConfig | None,
    namespaces: Iterable[QueueNamespace],
    home: str = HOME,
    *,
    every: bool = False,
    asked: Collection[Path] = (),
) -> Translation:
    """Translate all queues; their quotas are in the namespace ``home``.

    ``every``: all namespaces that a placement rule places have a queue, not only annotated ones.
    ``asked`` are queues that pods ask for; those that can exist are added.
    """
    given = _USUAL if config is None else config
    warnings = translation.of_faults(CONFIG, given.faults)
    spaces = list(namespaces)
    drafts: list[Draft] = []
    for partition in given.partitions:
        if partition.name in ("", _PARTITION):
            drafts += _partition(partition, spaces, home, warnings, asked, every=every)
        else:
            text = "one partition counts, and that is default; not taken over"
            warnings.append(TranslationWarning(CONFIG, f"{partition.where}.name", text))
    for space in spaces:
        warnings += _of_namespace(space)
    return assembly.build(drafts, warnings)


def partition_in_force(config: QueueConfig | None) -> Partition:
    """The partition that counts; an empty one if the configuration has none."""
    given = _USUAL if config is None else config
    found = (each for each in given.partitions if each.name in ("", _PARTITION))
    return next(found, Partition("", _PARTITION))


def _partition(
    partition: Partition,
    spaces: list[QueueNamespace],
    home: str,
    warnings: list[TranslationWarning],
    asked: Collection[Path],
    *,
    every: bool,
) -> list[Draft]:
    for field in partition.others:
        text = _PARTITION_FIELDS.get(field, "is not taken over")
        warnings.append(TranslationWarning(CONFIG, f"{partition.where}.{field}", text))
    root = partition.root
    queues = placement.by_path(root)
    held = placement.place(partition, queues, spaces, warnings, every=every)
    graces = inherited.graces(queues)
    drafts = [
        _configured(
            path,
            queue,
            partition,
            held.bound.get(path, ()),
            home,
            is_parent=rules.is_parent(path, queues),
        )._replace(
            reclaim_grace=inherited.grace(path, graces),
            over_max_delay=properties.over_max_delay(queue, partition, followed=every),
        )
        for path, rivals in queues.items()
        for queue in rivals
        if queue is not root
    ]
    if root.limits != QueueResources():
        text = "the root follows what the cluster has; left out"
        warnings.append(TranslationWarning(CONFIG, f"{root.where}.resources", text))
    drafts += _limited_root(root, home)
    for rivals in ([root], *(each for path, each in queues.items() if len(path) > 1)):
        for queue in rivals:
            warnings += _left_out(queue, partition)
            if not every:
                warnings += _of_lists(queue)
    if not (every or all(draft.is_parent or draft.namespaces for draft in drafts)):
        text = (
            "the queue that a pod names is not read; label the pod with its quota, by "
            f"{names.QUOTA_NAME}, and find that by {names.SOURCE}"
        )
        warnings.append(TranslationWarning(CONFIG, f"{partition.where}.queues", text))
    maker = Maker(partition, queues, graces, home, followed=every)
    drafts += [maker.parent(path) for path in held.parents]
    drafts += [maker.of_namespace(path, space) for path, space in held.made.items()]
    drafts = maker.with_asked(drafts, asked)
    return [properties.ordered(draft.path, queues, draft) for draft in drafts]


def _left_out(queue: ConfiguredQueue, partition: Partition) -> Iterator[TranslationWarning]:
    for field in queue.others:
        text = _QUEUE_FIELDS.get(field, _NO_LIMIT)
        yield TranslationWarning(CONFIG, f"{queue.where}.{field}", text)
    for found in queue.user_limits:
        for where in found.others:
            yield TranslationWarning(CONFIG, where, _NO_LIMIT)
    for key, text in properties.warnings(queue, partition):
        yield TranslationWarning(CONFIG, amounts.path(f"{queue.where}.properties", key), text)


def _of_lists(queue: ConfiguredQueue) -> Iterator[TranslationWarning]:
    text = "is checked only where the queues are followed; list the namespaces of the quota"
    for where, acl in queue.acls:
        if not acl.everyone:
            yield TranslationWarning(CONFIG, where, f"{text}; not taken over")


def _configured(
    path: Path,
    queue: ConfiguredQueue,
    partition: Partition,
    bound: Iterable[str],
    home: str,
    *,
    is_parent: bool,
) -> Draft:
    return Draft(
        path,
        CONFIG,
        queue.where,
        home,
        origin=origin.of(path),
        min=queue.limits.guaranteed,
        max=queue.limits.max,
        is_parent=is_parent,
        namespaces=tuple(bound),
        preemption=properties.preemption(path, queue, partition),
        limits=_limits_of(queue),
    )


def _limited_root(root: ConfiguredQueue, home: str) -> Iterator[Draft]:
    limits = _limits_of(root)
    if limits:
        yield Draft(
            (ROOT,),
            CONFIG,
            root.where,
            home,
            origin=origin.of((ROOT,)),
            name=NAME,
            is_parent=True,
            limits=limits,
        )


def _limits_of(queue: ConfiguredQueue) -> QuotaLimits:
    return QuotaLimits(queue.most_applications, tuple(_limits(queue)))


def _limits(queue: ConfiguredQueue) -> Iterator[Limit]:
    for found in queue.user_limits:
        if found.users or found.groups:
            # An amount that no Kubernetes quantity can hold limits nothing.
            most = {key: each for key, each in (found.max or {}).items() if each < _TOO_LARGE}
            yield Limit(found.users, found.groups, most, found.most_applications or 0)


def _of_namespace(space: QueueNamespace) -> Iterator[TranslationWarning]:
    source = f"Namespace {space.name}"
    yield from translation.of_faults(source, space.faults)
    for key in space.others:
        yield TranslationWarning(source, f"metadata.annotations[{key}]", "is not taken over")
