"""Messages of waiting and of admitted pods."""

from collections.abc import Iterator
from typing import Final

from elasticquota import names
from elasticquota.forest.membership import NO_QUOTA
from elasticquota.forest.user_limits import Scope, Subject
from elasticquota.ledger.pods import infeasible
from elasticquota.ledger.pods.infeasible import Infeasible
from elasticquota.model import workload
from elasticquota.model.group import Group
from elasticquota.model.holder import Holder
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.model.verdict import Verdict
from elasticquota.model.workload import PODS_LEFT, JobName, QueuedJob
from elasticquota.resources import Resources
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.scheduling.snapshot.reasons import Bounds, Shortage
from elasticquota.scheduling.snapshot.user_limits import Reached
from elasticquota.status import messages, pod_messages
from elasticquota.status.messages import Message
from elasticquota.status.pod_messages import OUTSIDE, Position
from elasticquota.structs import replace
from message_examples.example import Example
from worlds import GI, World


POD: Final = Pod(
    Key("team-a", "x"),
    "uid-x",
    "2026-01-01",
    request={"cpu": 4_000, "memory": 8 * GI, names.PODS: 1},
    gates=(names.GATE,),
    holder=Holder(user="ann"),
    group=Group("train", 2),
)
LARGE: Final = replace(POD, key=Key("team-a", "large"), priority=7)
GANG: Final = workload.gang(Key("team-a", "train"), [POD, LARGE])
JOB: Final = QueuedJob(
    Key("team-a", "RayJob/train"),
    "uid-train",
    "2026-01-01",
    JobName("RayJob", Key("team-a", "train")),
    request={"cpu": 4_000},
    gates=(names.GATE,),
)
_OWN: Final = Bounds({"cpu": 24_000}, {"cpu": 48_000})
_SIXTH: Final = Position(6, 6)


VARIANTS: Final = frozenset(
    {
        "a share of one",
        "nothing is shared out to the quota",
        "one application is the limit",
        "its group can start with one other pod",
        "a group has no nodes for all of it",
    }
)
"""Situations whose sentences differ from another's in a count or a name; the page lacks them."""


def examples() -> Iterator[Example]:
    """Yield one of each."""
    for when, message, position in (*_of_shares(), *_of_queues(), *_of_nodes()):
        yield _wait(when, message, position)
    for when, found in _never():
        yield _wait(when, messages.infeasible(found), OUTSIDE)
    yield from _of_reclaim()
    stray = Infeasible("QuotaNotAccepted", "there is no quota 'ghost'. Correct the name [PD1306]")
    without = pod_messages.wait(POD, NO_QUOTA, messages.infeasible(stray))
    yield Example(stray.reason, "the pod names a quota that does not exist", without.message)
    full = messages.shortage(JOB, _short("own", 32, 0), _OWN)
    of_job = pod_messages.wait(JOB, "team-a", full, Position(101, 240))
    yield Example("QuotaExhausted", "a job that is far back in its queue", of_job.message)
    koordinator = pod_messages.wait(POD, "team-a", full, _SIXTH, exceed_dimensions=True)
    yield Example("QuotaExhausted", "with `config.compatMessages: true`", koordinator.message)
    behind = messages.strict(LARGE)
    wrong = replace(POD, warnings=("label elasticquota.dev/pod-group-size must be a number",))
    yield Example(
        "WaitingInLine",
        "a label of the pod has no valid value",
        pod_messages.wait(wrong, "team-a", behind, _SIXTH).message,
    )
    mistyped = replace(POD, quota_label="taem-a")
    yield Example(
        "WaitingInLine",
        "the label of the pod names no quota, and that of its namespace counts",
        pod_messages.wait(mistyped, "team-a", behind, _SIXTH).message,
    )


def admissions() -> Iterator[Example]:
    """Yield the messages of pods that start."""
    world = World(nodes=1, cpu=8)
    world.quota("team-a", min=4)
    world.pods("team-a", waiting=True)
    (found,) = world.decide().releases
    yield Example("QuotaAdmitted", "the quota and the nodes have room", found.message)
    world = World(nodes=1, cpu=8)
    world.elastic(20)
    world.quota("team-a", min=4)
    world.pods("team-a", cpu=4)
    world.pods("team-a", cpu=6, waiting=True)
    (found,) = world.decide().releases
    yield Example("QuotaAdmitted", "a node for it has yet to come", found.message)
    world = World(nodes=1, cpu=8)
    world.quota("team-a", min=4)
    world.observe()
    world.pods("team-a", waiting=True)
    (found,) = world.decide().releases
    yield Example("QuotaAdmitted", "the tree only observes", found.message)


def _short(where: str, share: int, left: int) -> Shortage:
    quota = {"own": "team-a", "ancestor": "engineering"}.get(where, "pool")
    limit, free = {"cpu": share * 1000}, {"cpu": left * 1000}
    return Shortage(where, quota, ("cpu",), limit, free)  # type: ignore[arg-type]


def _full(where: str, share: int, left: int = 0) -> Message:
    return messages.shortage(POD, _short(where, share, left), _OWN)


def _of_shares() -> Iterator[tuple[str, Message, Position]]:
    yield "the quota uses all of its current share", _full("own", 32), _SIXTH
    yield "the share is at the limit", _full("own", 48, 2), Position(1, 6)
    yield "the quota holds more than its share", _full("own", 32, -4), Position(2, 6)
    yield "the share is smaller than the pod", _full("own", 2), Position(1, 1)
    yield "a share of one", _full("own", 1), Position(1, 1)
    yield "nothing is shared out to the quota", _full("own", 0), Position(1, 1)
    both = Shortage("own", "team-a", ("cpu", "memory"), {"cpu": 32_000}, {"cpu": 0})
    yield "several resources are short", messages.shortage(POD, both, Bounds({}, {})), _SIXTH
    users = [("team-b", 30_000), ("team-c", 18_000)]
    yield (
        "a quota above is full",
        messages.shortage(POD, _short("ancestor", 48, 0), _OWN, users),
        _SIXTH,
    )
    for when, low, held, place in (
        ("a pod that is not preemptible has to fit the guarantee", 24, 22, Position(1, 3)),
        ("it is larger than the guarantee", 2, 0, Position(1, 1)),
    ):
        bounds: tuple[Resources, Resources] = {"cpu": low * 1_000}, {"cpu": held * 1_000}
        yield when, messages.non_preemptible(POD, ("cpu",), *bounds), place
    yield (
        "observed only: running pods hold more than the limit",
        messages.max_exhausted(POD, ("cpu",), {"cpu": 48_000}, {"cpu": 2_000}),
        OUTSIDE,
    )
    ann, everyone = Subject("user", "ann"), Subject("all")
    for when, reached in (
        ("a user is at a limit", Reached(Scope("team-a", ann), "cpu", 12_000, 12_000)),
        ("the limit of waiting work", Reached(Scope("team-a", everyone), "cpu", 48_000, 48_000)),
        ("applications are limited", Reached(Scope("team-a", ann), "", 2, 2)),
        ("one application is the limit", Reached(Scope("team-a", ann), "", 1, 1)),
    ):
        yield when, messages.limit_reached(POD, reached), _SIXTH


def _of_queues() -> Iterator[tuple[str, Message, Position]]:
    yield "a pod waits at the head for too long", messages.behind(LARGE, 300), Position(2, 6)
    yield "queueing is Strict", messages.strict(LARGE), Position(2, 6)
    gated = replace(POD, gates=(names.GATE, "example.com/data"))
    yield "another controller holds the pod", messages.other_gates(gated), OUTSIDE
    waiting = replace(JOB, gates=(names.GATE, PODS_LEFT))
    yield "a job was suspended a moment ago", messages.other_gates(waiting), OUTSIDE
    yield "another controller holds a pod of its group", messages.member_gated(gated), OUTSIDE
    yield "its release was refused a moment ago", messages.release_refused(POD), OUTSIDE
    yield "its group can start without it", messages.surplus_of_group(POD, 2), OUTSIDE
    yield "its group can start with one other pod", messages.surplus_of_group(POD, 1), OUTSIDE
    verdict = Verdict("ParentNotFound", "there is no quota 'ghost'")
    yield "the quota is refused", messages.not_accepted(verdict), OUTSIDE


def _of_nodes() -> Iterator[tuple[str, Message, Position]]:
    why = {"": 3, "are cordoned": 1, "lack label disk=ssd": 2}
    yield "no single node has room now", messages.no_node(POD, why), Position(1, 6)
    yield "a group has no nodes for all of it", messages.no_node(GANG, why), Position(1, 1)
    empty = replace(POD, request={names.PODS: 1})
    yield "only pod slots are missing", messages.no_node(empty, {"": 2}), Position(1, 6)
    yield "pods without a node may take the room", messages.others_unbound(), Position(1, 6)
    yield "many pods ahead find no node", messages.many_without_node(64), Position(70, 90)
    asked = messages.asked_for_nodes("admitted, and holds its room until nodes are made")
    yield "an autoscaler is asked for nodes", asked, OUTSIDE


def _never() -> Iterator[tuple[str, Infeasible]]:
    yield from (
        (
            "the pod is larger than a limit",
            Infeasible("ExceedsMax", "needs 4 cpu; the limit of quota team-a is 2"),
        ),
        (
            "no node is large enough",
            Infeasible("NoNodeFits", "needs 4 cpu; the largest node of the tree offers 2"),
        ),
        (
            "no node has the label that it selects",
            Infeasible(
                "NoNodeFits",
                "no node of the tree is for it: 6 lack label disk=ssd",
                infeasible.FOR_OTHER_NODES,
            ),
        ),
        (
            "the group is not complete",
            Infeasible("WaitingForGroup", "1 of 2 pods of group train is there"),
        ),
        (
            "a claim of devices is missing",
            Infeasible("WaitingForClaim", "ResourceClaim team-a/gpus does not exist"),
        ),
        (
            "the profile of the tree is gone",
            Infeasible(
                "ProfileMissing",
                "profile pools/gpu is gone, so no nodes are known as those of its tree",
            ),
        ),
        (
            "the quota is paused",
            Infeasible(
                "QuotaPaused",
                "quota team-a is paused (spec.paused); no pod in it or below it starts meanwhile",
            ),
        ),
        (
            "the autoscaler has no such nodes",
            Infeasible(
                "ProvisioningRefused",
                "ProvisioningRequest train-1: Failed: out of stock; it is asked for again from "
                "10:17:40Z on",
            ),
        ),
        (
            "a parent quota holds no pods",
            Infeasible(
                "QuotaNotAccepted",
                "'engineering' is a parent quota, which holds quotas and no pods. Name one of its "
                "leaf quotas [PD1301]",
            ),
        ),
    )


def _of_reclaim() -> Iterator[Example]:
    """Messages that reclaim completes at the end of a cycle, from decisions."""
    for when, theirs, own, policy in (
        ("pods that borrow hold the room", 0, 4, Policy()),
        ("no quota borrows: more is guaranteed than the nodes offer", 8, 4, Policy()),
        ("its share was lent", 0, 0, Policy()),
        ("pods that borrow are being evicted", 0, 4, Policy(grace=0)),
        ("evictions are paused", 0, 4, Policy(paused=True)),
    ):
        world = World(nodes=1, cpu=8)
        world.quota("team-b", min=theirs)
        world.quota("team-a", min=own)
        world.pods("team-b", 8)
        world.pods("team-a", cpu=2, waiting=True, prefix="x")
        (wait,) = world.decide(policy=policy).waits
        yield Example(wait.reason, when, wait.message)
    world = World(nodes=1, cpu=8)
    world.quota("engineering", min=4, max=4, is_parent=True)
    world.quota("team-b", parent="engineering")
    world.quota("team-a", min=2, parent="engineering")
    world.pods("team-b", 4)
    world.pods("team-a", cpu=2, waiting=True, prefix="x")
    (wait,) = world.decide().waits
    yield Example(wait.reason, "a quota above it is full of pods that borrow", wait.message)
    yield from _of_other_room()


def _of_other_room() -> Iterator[Example]:
    """Of pods whose room is on its way although their quota has no guarantee."""
    world = World(nodes=1, cpu=8)
    world.quota("research", min=4, is_parent=True)
    world.quota("team-a", parent="research")
    world.quota("team-b")
    world.pods("team-b", 8)
    world.pods("team-a", cpu=2, waiting=True, prefix="x")
    (wait,) = world.decide().waits
    yield Example(wait.reason, "the guarantee of a quota above it gives it the room", wait.message)
    for pod in list(world.ledger.pods.values())[:2]:
        world.ledger.upsert_pod(replace(pod, deleting=True))
    (wait,) = world.decide().waits
    yield Example(wait.reason, "pods leave by themselves", wait.message)
    world = World(nodes=2, cpu=4)
    world.quota("team-a", min=4)
    world.quota("team-b")
    world.pods("team-b", cpu=3, node="node-0")
    world.pods("team-b", cpu=1, node="node-1")
    world.pods("team-a", cpu=4, waiting=True, prefix="x")
    (wait,) = world.decide(policy=Policy(grace=0)).waits
    yield Example(wait.reason, "a node is cleared for it", wait.message)
    world = World(nodes=1, cpu=8)
    world.quota("team-a", max=4)
    world.pods("team-a", 4)
    world.pods("team-a", cpu=2, waiting=True, prefix="x", priority=10)
    (wait,) = world.decide().waits
    yield Example(wait.reason, "less important pods of its quota make way", wait.message)


def _wait(when: str, message: Message, position: Position) -> Example:
    found = pod_messages.wait(POD, "team-a", message, position)
    return Example(found.reason, when, found.message)
