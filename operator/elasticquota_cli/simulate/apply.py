"""Applies objects to a world: the base as stored objects, a change like a user's request.

The base counts as stored: all its quotas exist. What the webhook would say about those that were
written by hand is reported beside the controller's verdict. A change has to pass the webhook: a
quota that is refused stays as it was. The order in the files does not matter, as long as some order
works. New pods always have to pass the webhook.
"""

from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from elasticquota import names
from elasticquota.model.claims import ClaimingPod
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.structs import Struct, field, replace
from elasticquota.wire.quota import equal_keys
from elasticquota_cli.simulate import claimed, settle, webhook
from elasticquota_cli.simulate.objects import Objects, Placed, Removal
from elasticquota_cli.simulate.report import Refused
from elasticquota_cli.simulate.submitted import SubmittedObjects, SubmittedOwner
from elasticquota_cli.simulate.webhook import Webhook
from elasticquota_cli.simulate.workloads import Workload
from elasticquota_cli.simulate.world import World


class Applied(Struct):
    """What the webhook says of some objects, and notes."""

    refused: list[Refused] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    """Of the webhook, about what it lets pass, one line each."""


T = TypeVar("T")
_SIMPLE: Final = frozenset({"Pod", "Node", names.QUOTA_KIND, names.PROFILE_KIND})


def base(world: World, objects: Objects) -> Applied:
    """Store ``objects`` in an empty world."""
    applied = Applied()
    stored = [placed for placed in objects.quotas if _uid(placed)]
    written = [placed for placed in objects.quotas if not _uid(placed)]
    _ground(world, objects)
    for placed in stored:
        world.put_quota(*world.reading_of(placed.key, placed.document.content))
    _profiles(world, objects, applied, stored=True)
    settle.grow_roots(world)
    for placed in _apply_quotas(world, written, applied):
        world.put_quota(*world.reading_of(placed.key, placed.document.content))
    _pods(world, objects, Webhook(world), applied, stored=True)
    applied.notes += world.devices.notes()
    return applied


def change(world: World, objects: Objects) -> Applied:
    """Apply ``objects`` to a settled world: first deletions, then the rest."""
    applied = Applied()
    for removal in objects.removals:
        if removal.kind not in (names.QUOTA_KIND, names.PROFILE_KIND):
            _remove(world, removal, applied)
    _remove_quotas(world, objects, applied)
    _remove_profiles(world, objects, applied)
    _ground(world, objects)
    _profiles(world, objects, applied, stored=False)
    if objects.profiles or objects.nodes or objects.removals:
        settle.grow_roots(world)
    _apply_quotas(world, objects.quotas, applied)
    _pods(world, objects, Webhook(world), applied, stored=False)
    return applied


def _ground(world: World, objects: Objects) -> None:
    """Store everything that quotas and pods refer to."""
    for priority_class in objects.priority_classes:
        world.priorities.values[priority_class.name] = priority_class.value
        if priority_class.is_default:
            world.priorities.default = priority_class.value
    for namespace in objects.namespaces:
        world.ledger.upsert_namespace(namespace)
    for node in objects.nodes:
        world.devices.put_node(node)
    for device_object in objects.devices:
        world.devices.put(device_object)
    for stated in objects.group_objects:
        world.ledger.upsert_group_object(stated)
    for kind in sorted(objects.group_kinds):
        world.ledger.follow_group_kind(kind)
    for unread in objects.unread:
        world.ledger.note_unread(unread)


def _profiles(world: World, objects: Objects, applied: Applied, *, stored: bool) -> None:
    """Apply profiles; with ``stored``, those that the webhook would refuse too."""
    entrance = Webhook(world)
    for placed in objects.profiles:
        before = world.document(names.PROFILE_KIND, placed.key)
        content = webhook.followed(placed.document.content, before, equal_keys.PROFILE)
        profile, document = world.profile_of(placed.key, content)
        message = ""
        if not (stored and _uid(placed)):
            stored_one = world.ledger.profiles.get(placed.key)
            message = entrance.judge_profile(stored_one, profile, document)
            _refuse(applied, names.PROFILE_KIND, placed.key, message, placed.document.where)
        if stored or not message:
            world.put_profile(profile, document)
    applied.warnings += entrance.warnings


def _apply_quotas(world: World, waiting: Sequence[Placed], applied: Applied) -> Sequence[Placed]:
    """Apply quotas in any order that works, a parent may come after its child; return the rest."""
    entrance = Webhook(world)

    def message_of(placed: Placed) -> str:
        content = entrance.completed(placed.key, placed.document.content)
        new, document = world.reading_of(placed.key, content)
        message = entrance.judge(world.quotas.get(placed.key), new, document)
        if not message:
            entrance.store(new, document)
        return message

    refused = _while_any_passes(waiting, message_of)
    for placed, message in refused:
        _refuse(applied, names.QUOTA_KIND, placed.key, message, placed.document.where)
    applied.warnings += entrance.warnings
    return [placed for placed, _ in refused]


def _remove_quotas(world: World, objects: Objects, applied: Applied) -> None:
    def message_of(removal: Removal) -> str:
        old = world.quotas.get(removal.key)
        if old is None:
            applied.notes.append(_nothing_there(removal))
            return ""
        entrance = Webhook(world)
        message = entrance.judge(old, None, {})
        if not message:
            world.remove_quota(removal.key)
            applied.warnings += entrance.warnings
        return message

    waiting = [removal for removal in objects.removals if removal.kind == names.QUOTA_KIND]
    for removal, message in _while_any_passes(waiting, message_of):
        _refuse(applied, names.QUOTA_KIND, removal.key, message, removal.where)


def _remove_profiles(world: World, objects: Objects, applied: Applied) -> None:
    entrance = Webhook(world)
    for removal in objects.removals:
        if removal.kind != names.PROFILE_KIND:
            continue
        message = entrance.judge_profile(world.ledger.profiles.get(removal.key), None, {})
        if message:
            _refuse(applied, names.PROFILE_KIND, removal.key, message, removal.where)
        else:
            _remove(world, removal, applied)
    applied.warnings += entrance.warnings


def _while_any_passes(
    waiting: Sequence[T], message_of: Callable[[T], str]
) -> Sequence[tuple[T, str]]:
    """Try all, and again those that are refused while any passes; returns the last refusals."""
    while True:
        refused = [(each, message) for each in waiting if (message := message_of(each))]
        if len(refused) in (0, len(waiting)):
            return refused
        waiting = [each for each, _ in refused]


def _remove(world: World, removal: Removal, applied: Applied) -> None:
    kind, key = removal.kind, removal.key
    owner = SubmittedOwner(kind, *key)
    if kind == "Pod" and key in world.pods:
        world.remove_pod(key)
    elif kind == "Node" and key.name in world.ledger.nodes:
        _lose(world, key.name)
    elif kind == names.PROFILE_KIND and world.has(kind, key):
        world.remove_profile(key)
    elif kind in claimed.KINDS:
        if not world.devices.remove(kind, key):
            applied.notes.append(_nothing_there(removal))
    elif kind not in _SIMPLE and world.by_owner.get(owner):
        for pod in list(world.by_owner[owner]):
            world.remove_pod(pod)
    else:
        applied.notes.append(_nothing_there(removal))


def _lose(world: World, node: str) -> None:
    """Remove a node with its pods; their workloads re-create these."""
    world.devices.remove_node(node)
    entrance = Webhook(world)
    for pod in [pod for pod in world.pods.values() if pod.node_name == node]:
        settle.remake(world, pod.key, entrance)


def _pods(
    world: World, objects: Objects, entrance: Webhook, applied: Applied, *, stored: bool
) -> None:
    """Add pods, then workloads; a workload from a cluster may lack some of its pods."""
    unknown: set[str] = set()
    for job in objects.jobs:
        world.devices.put_job(job)
    for submitted in objects.pods:
        pod = _prioritised(world, submitted, unknown)
        if submitted.live:
            world.put_pod(pod, submitted.owner)
            continue
        there = world.pods.get(pod.key)
        if there is not None and _alike(there, pod, entrance):
            continue
        message = entrance.refusal(pod, f"Pod {pod.key}")
        _refuse(applied, "Pod", pod.key, message, submitted.where)
        if not message:
            world.put_pod(entrance.admitted(world.new(pod)), submitted.owner)
    for workload in objects.workloads:
        pattern = _prioritised(world, workload.pattern, unknown)
        message = entrance.refusal(pattern, f"{workload.owner.kind} {workload.key}")
        _refuse(applied, workload.owner.kind, workload.key, message, workload.where)
        if not message:
            _scale(world, workload, pattern, entrance, whole=not (stored and workload.live))
    world.place_new()
    applied.warnings += entrance.warnings
    applied.notes += [f"priority class {name} is not known: 0 is used" for name in sorted(unknown)]


def _prioritised(world: World, submitted: SubmittedObjects, unknown: set[str]) -> Pod:
    priority = world.priorities.of(submitted)
    if priority is None:
        unknown.add(submitted.priority_class)
    if priority in (None, submitted.pod.priority):
        return submitted.pod
    return replace(submitted.pod, priority=priority or 0)


def _scale(
    world: World, workload: Workload, pattern: Pod, entrance: Webhook, *, whole: bool
) -> None:
    """Scale the workload to its count; ``whole``: replace pods that differ from its template."""
    kept = [world.pods[key] for key in world.by_owner.get(workload.owner, ())]
    if whole:
        present = kept
        alike = [pod for pod in present if _alike(pod, pattern, entrance)]
        kept = sorted(alike, key=lambda pod: pod.gated)[: workload.count]
        staying = {pod.key for pod in kept}
        for pod in present:
            if pod.key not in staying:
                world.remove_pod(pod.key)
    number = 0
    for _ in range(workload.count - len(kept)):
        while (key := Key(workload.key.namespace, f"{workload.key.name}-{number}")) in world.pods:
            number += 1
        fresh = world.new(replace(pattern, key=key))
        world.put_pod(entrance.admitted(fresh), workload.owner)


def _alike(pod: Pod, pattern: Pod, entrance: Webhook) -> bool:
    """Whether the pod has the request, priority and quota of the workload's template."""
    return (pod.request, _claims(pod), pod.priority, pod.preemptible) == (
        pattern.request,
        _claims(pattern),
        pattern.priority,
        pattern.preemptible,
    ) and entrance.members.quota_of(pod) == entrance.members.quota_of(pattern)


def _claims(pod: Pod) -> tuple[tuple[str, str], ...]:
    """What the pod claims, without the claims that were generated for it."""
    if not isinstance(pod, ClaimingPod):
        return ()
    return tuple((each.name, each.template or each.claim) for each in pod.claims)


def _refuse(applied: Applied, kind: str, key: Key, message: str, where: str) -> None:
    if message:
        applied.refused.append(Refused(kind, *key, message, where))


def _nothing_there(removal: Removal) -> str:
    return f"{removal.where}: there is nothing to delete"


def _uid(placed: Placed) -> str:
    return str((placed.document.content.get("metadata") or {}).get("uid") or "")
