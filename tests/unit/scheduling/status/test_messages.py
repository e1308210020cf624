"""The whole sentence of each message about a pod, with its reason and resources."""

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

import pytest

from elasticquota import names
from elasticquota.forest.user_limits import Scope, Subject
from elasticquota.ledger.accounting import Accounting
from elasticquota.ledger.infeasible import Infeasible
from elasticquota.ledger.tree_books import TreeBooks
from elasticquota.model import workload
from elasticquota.model.group import Group
from elasticquota.model.holder import Holder
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.model.verdict import Verdict
from elasticquota.scheduling.snapshot.tree_snapshot import Shortage
from elasticquota.scheduling.snapshot.user_limits import Reached
from elasticquota.scheduling.status import messages
from elasticquota.scheduling.status.messages import Message, Position
from worlds import GI, TREE, World


POD = Pod(
    Key("teams", "a"),
    "uid-a",
    "2026-01-01",
    request={"cpu": 2_000, "memory": 4 * GI, names.PODS: 1},
    priority=7,
)
GANG = workload.gang(Key("teams", "train"), [POD, replace(POD, key=Key("teams", "b"))])
HEAD = "quota team-a (tree pool-root)"


@pytest.fixture
def tree() -> TreeBooks:
    """Of 40 cpu; team-a holds 3 and may use 12."""
    world = World(nodes=5, cpu=8)
    world.quota("team-a", max=12)
    world.pods("team-a", 3, waiting=True)
    world.pods("team-a", 20)
    return world.ledger.update(Accounting()).trees[TREE]


@pytest.mark.parametrize(
    ("where", "reason", "detail"),
    [
        ("own", "QuotaExhausted", "2 cpu asked, 500m of runtime 12 left"),
        ("ancestor", "AncestorExhausted", "2 cpu asked, 500m of runtime 12 of quota dept left"),
        (
            "nodes",
            "WaitingForReclaim",
            "2 cpu asked and within runtime, but 500m left on the nodes of tree dept until more "
            "is freed",
        ),
        (
            "cooldown",
            "WaitingForHeadroom",
            "2 cpu asked and free, but kept for a while for quota dept",
        ),
    ],
)
def test_a_shortage_says_what_is_asked_and_what_is_left(
    where: Literal["own", "ancestor", "nodes", "cooldown"], reason: str, detail: str
) -> None:
    keys = ("cpu", "memory")
    short = Shortage(where, "dept", keys, {"cpu": 12_000}, {"cpu": 500})
    assert messages.shortage(POD, short) == (reason, detail, keys)


def test_a_shortage_never_says_that_less_than_nothing_is_left() -> None:
    short = Shortage("own", "team-a", ("cpu",), {}, {"cpu": -3_000})
    assert messages.shortage(POD, short).detail == "2 cpu asked, 0 of runtime 0 left"
    unknown = Shortage("own", "team-a", ("cpu",), {}, {})
    assert messages.shortage(POD, unknown).detail == "2 cpu asked, 0 of runtime 0 left"


def test_a_gang_says_that_it_asks_as_a_whole() -> None:
    short = Shortage("own", "team-a", ("cpu",), {"cpu": 3_000}, {"cpu": 1_000})
    assert messages.shortage(GANG, short).detail == (
        "4 cpu asked by group train of 2 pods, 1 of runtime 3 left"
    )


def test_without_a_node_the_obstacles_are_counted() -> None:
    assert messages.no_node(POD, {"": 3, "are cordoned": 1, "lack label disk=ssd": 2}) == (
        "NoNodeFitsNow",
        "within its share, but of 6 nodes none has room for it now: 3 have less than 2 cpu, 4Gi "
        "memory free, 2 lack label disk=ssd, 1 are cordoned",
        (),
    )


def test_a_pod_that_asks_for_nothing_lacks_a_pod_slot() -> None:
    pod = replace(POD, request={"cpu": 0, names.PODS: 1})
    assert messages.no_node(pod, {"": 1}).detail == (
        "within its share, but of 1 nodes none has room for it now: 1 have no pod slot free"
    )


def test_a_gang_without_nodes_lacks_room_for_all_of_it() -> None:
    for why in ({"": 0, "are cordoned": 1}, {"are cordoned": 1}):
        assert messages.no_node(GANG, why).detail == (
            "within its share, but of 1 nodes none has room for all of it now: 1 are cordoned"
        )


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (
            messages.others_unbound,
            (
                "NoNodeFitsNow",
                "has room, but pods that have no node yet may take it, and then it would preempt "
                "others; goes when they are placed",
                (),
            ),
        ),
        (
            lambda: messages.many_without_node(8),
            ("NoNodeFitsNow", "8 pods ahead of it find no node with room now", ()),
        ),
        (
            lambda: messages.max_exhausted(
                POD, ("memory", "cpu"), {"memory": 8 * GI}, {"memory": GI}
            ),
            ("QuotaExhausted", "4Gi memory asked, 1Gi of max 8Gi left", ("memory", "cpu")),
        ),
        (
            lambda: messages.non_preemptible(POD, ("memory", "cpu")),
            (
                "QuotaExhausted",
                "4Gi memory asked, but non-preemptible pods may hold no more than min",
                ("memory", "cpu"),
            ),
        ),
        (
            lambda: messages.behind(POD, "it is older"),
            ("WaitingInLine", "pod teams/a goes first, because it is older", ()),
        ),
        (
            lambda: messages.other_gates(replace(POD, gates=("b/gate", names.GATE, "a/gate"))),
            ("WaitingForOtherGates", "ours goes last, and it still has b/gate, a/gate", ()),
        ),
        (
            lambda: messages.mate_gated(replace(POD, gates=(names.GATE, "b/gate", "a/gate"))),
            ("WaitingForGroup", "pod teams/a of its group still has b/gate, a/gate", ()),
        ),
        (
            lambda: messages.surplus_of_group(replace(POD, group=Group("train", 4)), 4),
            ("WaitingForGroup", "4 other pods of group train start first", ()),
        ),
    ],
)
def test_what_waits_says_why(
    found: Callable[[], Message], said: tuple[str, str, tuple[str, ...]]
) -> None:
    assert found() == said


ANN, ALL = Scope("dept", Subject("user", "ann")), Scope("dept", Subject("all"))


@pytest.mark.parametrize(
    ("reached", "application", "detail"),
    [
        (
            Reached(ANN, "cpu", 3_000, 4_000),
            "",
            "2 cpu asked, user ann holds 3 of 4 in quota dept",
        ),
        (
            Reached(ALL, "cpu", 3_000, 4_000),
            "",
            f"2 cpu asked, 3 of the 4 of {names.ADMISSION} of quota dept held",
        ),
        (
            Reached(ANN, "", 2, 2),
            "spark",
            "application spark waits, 2 of 2 applications of user ann run in quota dept",
        ),
        (
            Reached(ALL, "", 3, 2),
            "",
            "the application of teams waits, 3 of 2 applications run in quota dept",
        ),
    ],
)
def test_a_limit_that_is_reached_says_whose_it_is(
    reached: Reached, application: str, detail: str
) -> None:
    pod = replace(POD, holder=Holder(user="ann", application=application))
    keys = (reached.resource,) if reached.resource else ()
    assert messages.limit_reached(pod, reached) == ("LimitReached", detail, keys)


def test_a_pod_in_the_queue_says_its_quota_tree_and_position(tree: TreeBooks) -> None:
    said = Message("QuotaExhausted", "too much", ())
    assert messages.outside_queue("team-a", tree, said) == f"{HEAD}: QuotaExhausted: too much"
    assert messages.waits("team-a", tree, said, Position(2, 9)) == (
        f"{HEAD}: QuotaExhausted: too much; position 2 of 9"
    )
    assert messages.waits("team-a", tree, said._replace(keys=("cpu", "x")), Position(1, 1)) == (
        f"{HEAD}: QuotaExhausted: too much; position 1 of 1; exceedDimensions: [cpu, x]"
    )


@pytest.mark.parametrize(
    ("place", "said"),
    [(100, "position 100 of 200"), (101, "more than 100 pods are ahead of it")],
)
def test_a_pod_far_back_has_no_exact_position(place: int, said: str) -> None:
    assert str(Position(place, 200)) == said


def test_what_can_never_start_says_why(tree: TreeBooks) -> None:
    found = Infeasible("ExceedsMax", "99 cpu asked")
    assert messages.infeasible("team-a", tree, found) == f"{HEAD}: ExceedsMax: 99 cpu asked"
    assert messages.stray(found) == "no quota: ExceedsMax: 99 cpu asked"
    assert messages.not_accepted("team-a", Verdict("ReservedName", "no")) == (
        "quota team-a: QuotaNotAccepted: ReservedName: no"
    )


def test_a_victim_says_what_its_quota_holds_and_who_waits(tree: TreeBooks) -> None:
    over, held = {"memory": GI, "cpu": 1_000}, {"cpu": 20_000, "memory": 2 * GI}
    holds = f"{HEAD}: holds 20 cpu of runtime 12, 2Gi memory of runtime 0"
    assert messages.reclaimed_for("team-a", tree, over, held, "owner", "min") == (
        f"{holds}; quota owner waits for its min"
    )
    assert messages.reclaimed("team-a", tree, over, held) == (
        f"{holds} for longer than the reclaim delay"
    )
    assert messages.cleared("team-a", tree, {"cpu": 500}, "node-1", "owner", "runtime") == (
        f"{HEAD}: holds 500m cpu beyond its min; quota owner waits for its runtime on node node-1"
    )


def test_a_victim_of_its_own_quota_says_which_workload_takes_its_place(tree: TreeBooks) -> None:
    assert messages.preempted("team-a", tree, POD) == (
        f"{HEAD}: pod teams/a of priority 7 takes its place"
    )
    assert messages.gave_up("team-a", tree, POD) == (
        f"{HEAD}: no node takes it, and pod teams/a of its quota needs its place"
    )


def test_an_external_victim_says_which_tree_has_its_node(tree: TreeBooks) -> None:
    assert messages.external_pod(tree, "node-1", "owner") == (
        "tree pool-root: the pod is of no quota of the tree that has node node-1; quota owner "
        "waits for its min there"
    )


def test_external_pods_are_counted_by_the_namespace_that_has_most() -> None:
    found = [replace(POD, key=Key(space, "a")) for space in ("b", "a", "c", "b", "a")]
    assert messages.external_pods(found) == (
        "5 pods of no quota of the tree hold 10 cpu, 20Gi memory of its nodes, 2 of them of "
        "namespace a, and are replaced when they are evicted: bind the namespace to a quota, "
        f"taint the nodes, or give quota {names.DEFAULT_QUOTA} a max"
    )
