"""Finds the queues of namespaces by YuniKorn's placement rules (Y11, Y15, Y18).

It applies the rules that depend on the namespace alone: ``tag`` with the value ``namespace``, below
the root or below a parent that is ``fixed`` or the tag ``namespace.parentqueue``. The first rule
that gives a queue decides. Rules that depend on users or on the pod, or that have a filter, do not
place a namespace; ``pod_queues`` applies them to each pod.

A controller that follows the namespaces places ``every`` namespace. Those that no rule places are
in ``root.default`` if that is a leaf (Y12). An import makes queues only for namespaces that have
annotations, because its input shows only one moment of a cluster.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from elasticquota.forest import wording
from elasticquota.integrations.translation.translation import Path, TranslationWarning
from elasticquota.integrations.yunikorn import rules
from elasticquota.integrations.yunikorn.rules import Applicant, PlacementRefusal, RuleMatch
from elasticquota.structs import Struct, field
from elasticquota.wire.codec import fields
from elasticquota.wire.integrations.placement_rules import PlacementRule
from elasticquota.wire.integrations.queue_namespaces import QueueNamespace
from elasticquota.wire.integrations.queues import ROOT, ConfiguredQueue, Partition


_SOURCE: Final = "queues.yaml"
_SHOWN: Final = 10


class NamespaceQueues(Struct, frozen=True):
    """Which queue each namespace is in, and which queues are made for namespaces."""

    bound: dict[Path, list[str]] = field(default_factory=dict)
    """Namespaces of configured queues, by path."""
    made: dict[Path, QueueNamespace] = field(default_factory=dict)
    """Queues that are made for a namespace."""
    parents: set[Path] = field(default_factory=set)
    """Parent queues that are made for these."""


def place(
    partition: Partition,
    queues: Mapping[Path, list[ConfiguredQueue]],
    spaces: Iterable[QueueNamespace],
    warnings: list[TranslationWarning],
    *,
    every: bool = False,
) -> NamespaceQueues:
    """Place the namespaces; adds warnings about rules, and about namespaces without a queue."""
    by_namespace = [rule for rule in partition.rules if goes_by_namespace(rule)]
    warnings += (_of_followed if every else _of_left_out)(partition)
    placed = NamespaceQueues()
    quiet = []
    ordered = sorted(spaces, key=lambda space: (space.name, repr(space)))
    for space in ordered:
        at = rules.find(by_namespace, Applicant(space), queues, lambda _: True)
        path = at.path if isinstance(at, RuleMatch) else None
        if at is None and every:
            path = default_of(queues)
        if path is not None and path in queues:
            placed.bound.setdefault(path, []).append(space.name)
            if space.max is not None or space.guaranteed is not None:
                text = f"the limits are those of the configured queue {'.'.join(path)}; left out"
                warnings.append(TranslationWarning(_of(space), "metadata.annotations", text))
        elif not (space.says or (every and path is not None)):
            quiet.append(space.name)
        elif path is None:
            why = f": {at.text}" if isinstance(at, PlacementRefusal) else ""
            text = f"no placement rule finds a queue for the namespace{why}; not taken over"
            warnings.append(TranslationWarning(_of(space), "metadata.annotations", text))
        else:
            placed.made[path] = space
            placed.parents.update(
                path[:depth] for depth in range(2, len(path)) if path[:depth] not in queues
            )
    if not every:
        warnings += _of_rules(partition, by_namespace, ordered, quiet)
    return placed


def by_path(root: ConfiguredQueue) -> dict[Path, list[ConfiguredQueue]]:
    """All queues by path, parents first; an invalid configuration has several for one path."""
    found: dict[Path, list[ConfiguredQueue]] = {}

    def add(queue: ConfiguredQueue, path: Path) -> None:
        found.setdefault(path, []).append(queue)
        for child in queue.children:
            add(child, (*path, child.name))

    add(root, (root.name,))
    return found


def default_of(queues: Mapping[Path, list[ConfiguredQueue]]) -> Path | None:
    """The queue of pods that no rule places, if there is such a leaf."""
    path = (ROOT, "default")
    return path if path in queues and not rules.is_parent(path, queues) else None


def _of(space: QueueNamespace) -> str:
    return f"Namespace {space.name}"


def goes_by_namespace(rule: PlacementRule) -> bool:
    """Whether the rule places all pods of a namespace in the same queue."""
    above = rule.parent
    return (
        rule.filter is None
        and rule.name == rules.TAG
        and rule.value == rules.NAMESPACE
        and (
            above is None or (above.filter is None and above.parent is None and _names_queue(above))
        )
    )


def _of_left_out(partition: Partition) -> Iterator[TranslationWarning]:
    """Warnings about rules that an import cannot follow."""
    for rule in partition.rules:
        if goes_by_namespace(rule):
            continue
        if rule.filter is not None:
            text = "rules with a filter are not taken over"
        elif rule.name == rules.TAG and rule.value == rules.NAMESPACE and rule.parent is not None:
            text = f"a parent by the rule {fields.shown(rule.parent.text)} is not taken over"
        else:
            text = f"the rule {fields.shown(rule.text)} is not taken over"
        yield TranslationWarning(_SOURCE, rule.where, text)


def _of_followed(partition: Partition) -> Iterator[TranslationWarning]:
    """Warnings about rules for single pods that work differently from YuniKorn."""
    for rule in partition.rules:
        for each in rule.chain:
            if each.name == rules.TAG and each.value not in rules.TAGS:
                text = (
                    f"no pod has this tag, so the rule never matches; use {' or '.join(rules.TAGS)}"
                )
                yield TranslationWarning(_SOURCE, f"{each.where}.value", text)
            if each.name == rules.USER or each.filter is not None:
                text = (
                    "depends on the user who creates a pod; that user is not known for pods that "
                    "the cluster's controllers create"
                )
                yield TranslationWarning(_SOURCE, each.where, text)


def _names_queue(rule: PlacementRule) -> bool:
    return rule.name == rules.FIXED or (rule.name == rules.TAG and rule.value == rules.PARENT_TAG)


def _of_rules(
    partition: Partition,
    by_namespace: list[PlacementRule],
    spaces: list[QueueNamespace],
    quiet: list[str],
) -> Iterable[TranslationWarning]:
    if by_namespace and not spaces:
        text = "makes queues for namespaces; give the Namespaces too to have them translated"
        yield TranslationWarning(_SOURCE, by_namespace[0].where, text)
    elif by_namespace and quiet:
        text = (
            "namespaces without annotations of YuniKorn get no quota of their own: "
            f"{wording.named(quiet, _SHOWN)}"
        )
        yield TranslationWarning(_SOURCE, f"{partition.where}.placementrules".lstrip("."), text)
