"""Translates Volcano's Queues: one quota each, with the name of the queue.

* min: ``deserved``, which a queue gets back from others when it needs it (plugin ``capacity``), and
  at least ``guarantee``. max: ``capability``.
* ``guarantee`` is never lent. Ours lends all of min or none: none if guarantee is all of it.
* Weight: without any ``deserved`` the plugin ``proportion`` divides the cluster by weight, so all
  quotas get it, 1 by default. Beside ``deserved`` a weight means nothing.
* ``fifo``: no pod passes an earlier one. Required groups of nodes become the nodes of the quota.
* A pod of any namespace may name any queue that has none below it, as over there.
* The queue ``root`` stands for the resources of the cluster, as our default tree does.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Final

from elasticquota import names, quantity, resources
from elasticquota.integrations.translation import assembly, translation
from elasticquota.integrations.translation.translation import Draft, Translation, TranslationWarning
from elasticquota.model.selector import EVERYTHING, Requirement, Selector
from elasticquota.resources import Resources
from elasticquota.wire.codec import fields
from elasticquota_import.manifests import volcano_queues
from elasticquota_import.manifests.volcano_queues import QueueOfNamespace, VolcanoQueue
from elasticquota_import.translators import lineage, weights


HOME: Final = "kube-system"
DIALECT: Final = "volcano"
ROOT: Final = "root"


def translate(
    queues: Iterable[VolcanoQueue], namespaces: Iterable[QueueOfNamespace] = (), home: str = HOME
) -> Translation:
    """Translate the queues, and bind the namespaces that name one."""
    warnings: list[TranslationWarning] = []
    spaces = sorted(set(namespaces), key=repr)
    chosen = lineage.named(queues, lambda each: each.name, _source, warnings)
    root = chosen.pop(ROOT, None)
    if root is not None:
        warnings += _of_root(root)
    parents = {name: each.parent for name, each in chosen.items()}
    parents = {name: "" if parent == ROOT else parent for name, parent in parents.items()}
    paths, faults = lineage.trace(parents)
    for name, text in faults.items():
        warnings.append(TranslationWarning(_source(chosen[name]), "spec.parent", text))
    inner = set(parents.values())
    bound = _bound(spaces, chosen, inner, warnings)
    by_weight = not any(each.deserved for each in chosen.values())
    by = weights.divisor(_weight(each) for each in chosen.values())
    keys = sorted({key for each in chosen.values() for key in (*each.capability, *each.guarantee)})
    drafts = []
    for name, path in paths.items():
        queue = chosen[name]
        warnings += translation.of_faults(_source(queue), queue.faults)
        draft = Draft(
            path,
            _source(queue),
            "spec",
            home,
            origin=origin(name),
            name=name,
            min=_guarantee(queue),
            max=queue.capability,
            is_parent=name in inner,
            namespaces=tuple(bound[name]),
            nodes=_nodes(queue) if name not in inner else EVERYTHING,
            shared_weight=weights.shared(_weight(queue), keys, by) if by_weight and keys else None,
            allow_lent=not _keeps_all(queue),
            strict_queue=queue.strict and name not in inner,
            allowed_namespaces=None if name in inner else (names.EVERY_NAMESPACE,),
        )
        warnings += _warnings(queue, draft, by_weight=by_weight)
        drafts.append(draft)
    return assembly.build(drafts, warnings, {each.namespace for each in spaces})


def origin(name: str) -> str:
    """The origin annotation of the quota that is made from the queue."""
    return f"{DIALECT}:{name}"


def _source(queue: VolcanoQueue) -> str:
    return f"{volcano_queues.QUEUE} {fields.shown_key(queue.name)}"


def _weight(queue: VolcanoQueue) -> int:
    return (1 if queue.weight is None else queue.weight) * weights.WHOLE


def _guarantee(queue: VolcanoQueue) -> Resources:
    return resources.maximum(queue.deserved, queue.guarantee)


def _keeps_all(queue: VolcanoQueue) -> bool:
    promised = resources.positive(_guarantee(queue))
    return bool(promised) and all(
        queue.guarantee.get(key, 0) == amount for key, amount in promised.items()
    )


def _nodes(queue: VolcanoQueue) -> Selector:
    if not queue.groups:
        return EVERYTHING
    return Selector((Requirement(volcano_queues.NODE_GROUP, "In", queue.groups),))


def _bound(
    namespaces: Iterable[QueueOfNamespace],
    chosen: dict[str, VolcanoQueue],
    inner: set[str],
    warnings: list[TranslationWarning],
) -> dict[str, list[str]]:
    bound: dict[str, list[str]] = defaultdict(list)
    where = f"metadata.annotations[{volcano_queues.QUEUE_NAME}]"
    for each in namespaces:
        if not each.queue:
            continue
        source = f"Namespace {fields.shown_key(each.namespace)}"
        fault = ""
        if not fields.is_name(each.namespace):
            fault = "the namespace has no valid name"
        elif each.queue not in chosen:
            fault = f"there is no Queue {fields.shown(each.queue)} in what was given"
        elif each.queue in inner:
            fault = f"Queue {fields.shown(each.queue)} has queues below it, so it takes no pods"
        if fault:
            warnings.append(TranslationWarning(source, where, f"{fault}; not bound"))
        else:
            bound[each.queue].append(each.namespace)
    return bound


def _of_root(root: VolcanoQueue) -> Iterator[TranslationWarning]:
    yield from translation.of_faults(_source(root), root.faults)
    for side in ("capability", "deserved", "guarantee"):
        if getattr(root, side):
            text = "the tree has what its nodes offer; not taken over"
            yield TranslationWarning(_source(root), f"spec.{side}", text)


def _warnings(
    queue: VolcanoQueue, draft: Draft, *, by_weight: bool
) -> Iterator[TranslationWarning]:
    yield from (draft.warning(other, "is not taken over") for other in queue.others)
    if not by_weight and queue.weight not in (None, 1):
        yield draft.warning("weight", "means nothing beside deserved; left out")
    elif queue.weight == 0:
        yield draft.warning("weight", "must be from 1, got 0; here it is the smallest weight")
    if draft.allow_lent and any(queue.guarantee.values()):
        figures = ", ".join(
            f"{quantity.text(key, amount)} {key}" for key, amount in sorted(queue.guarantee.items())
        )
        text = f"{figures} is never lent there; here it is lent, and reclaimed when it is needed"
        yield draft.warning("guarantee", text)
    if not queue.reclaimable:
        text = (
            "what it borrows is never reclaimed there; here it is. Pods with the label "
            f"{names.PREEMPTIBLE}: 'false' are not evicted, and start within min only"
        )
        yield draft.warning("reclaimable", text)
    if queue.priority:
        text = f"{queue.priority} is not taken over: between quotas the smaller share goes first"
        yield draft.warning("priority", text)
    if queue.closed:
        yield TranslationWarning(draft.source, "status.state", "it is closed; here pods may start")
    if queue.groups and draft.nodes is EVERYTHING:
        yield draft.warning("affinity", "only queues without queues below have pods; left out")
