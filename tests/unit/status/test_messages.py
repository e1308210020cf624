"""What each message about a waiting pod says, with its reason, resources and facts."""

from collections.abc import Callable
from typing import Literal

import pytest

from elasticquota import names
from elasticquota.forest.user_limits import Scope, Subject
from elasticquota.ledger.pods.infeasible import Infeasible
from elasticquota.model import workload
from elasticquota.model.group import Group
from elasticquota.model.holder import Holder
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.model.verdict import Verdict
from elasticquota.resources import Resources
from elasticquota.scheduling.snapshot.reasons import Bounds, Guarantee, Shortage
from elasticquota.scheduling.snapshot.user_limits import Reached
from elasticquota.status import messages
from elasticquota.status.messages import Message
from elasticquota.structs import replace
from worlds import GI


POD = Pod(
    Key("teams", "a"),
    "uid-a",
    "2026-01-01",
    request={"cpu": 2_000, "memory": 4 * GI, names.PODS: 1},
    priority=7,
)
GANG = workload.gang(Key("teams", "train"), [POD, replace(POD, key=Key("teams", "b"))])
OWN = Bounds({"cpu": 8_000}, {"cpu": 48_000})


def own(share: int, left: int, pod: workload.Workload = POD) -> Message:
    """The message about cpu in the pod's own quota; millicores."""
    short = Shortage("own", "team-a", ("cpu",), {"cpu": share}, {"cpu": left})
    return messages.shortage(pod, short, OWN)


@pytest.mark.parametrize(
    ("share", "left", "used"),
    [
        (32_000, 0, "all 32 of its current share are in use"),
        (32_000, 1_500, "30.5 of its current share of 32 are in use"),
        (32_000, -4_000, "36 of its current share of 32 are in use"),
        (1_000, 0, "its current share of 1 is in use"),
        (2_000, 1_000, "1 of its current share of 2 is in use"),
        (0, 0, "its current share is 0"),
        (1_000, 1_000, "its current share is 1"),
    ],
)
def test_a_full_quota_says_how_much_of_its_share_is_in_use(
    share: int, left: int, used: str
) -> None:
    found = own(share, left)
    assert found.reason == "QuotaExhausted"
    assert found.detail == f"needs 2 cpu; {used} (guaranteed 8, limit 48)"


@pytest.mark.parametrize(
    ("share", "left", "starts"),
    [
        (32_000, 1_000, "1 cpu is freed in team-a or its share grows"),
        (32_000, -4_000, "6 cpu are freed in team-a or its share grows"),
        (48_000, 0, "2 cpu are freed in team-a"),
        (1_000, 0, "its share grows to at least 2 cpu"),
    ],
)
def test_it_says_what_has_to_happen(share: int, left: int, starts: str) -> None:
    assert own(share, left).starts == f"It starts when {starts}"


def test_a_quota_without_max_has_no_limit_and_one_without_min_no_guarantee() -> None:
    short = Shortage("own", "team-a", ("cpu",), {"cpu": 32_000}, {"cpu": 0})
    found = messages.shortage(POD, short, Bounds({}, {}))
    assert found.detail.endswith("(guaranteed 0, no limit)")
    assert found.starts.endswith("or its share grows")


def test_other_resources_that_are_short_are_named() -> None:
    short = Shortage("own", "team-a", ("cpu", "memory"), {"cpu": 8_000}, {"cpu": 0})
    found = messages.shortage(POD, short, OWN)
    assert found.detail.endswith("(guaranteed 8, limit 48); also short: memory")
    assert found.keys == ("cpu", "memory")


def test_a_gang_says_that_it_needs_it_as_a_whole() -> None:
    assert own(3_000, 1_000, GANG).detail.startswith("group train of 2 pods needs 4 cpu; ")


def test_a_full_quota_above_names_the_largest_users() -> None:
    short = Shortage("ancestor", "dept", ("cpu",), {"cpu": 48_000}, {"cpu": 0})
    users = [("team-b", 30_000), ("team-c", 18_000)]
    found = messages.shortage(POD, short, OWN, users)
    assert (found.reason, found.detail, found.starts) == (
        "AncestorExhausted",
        "needs 2 cpu; quota dept above it has none of its current share of 48 left (largest users: "
        "team-b 30, team-c 18)",
        "It starts when 2 cpu are freed below dept or the share of dept grows",
    )


def test_a_full_quota_above_says_that_the_pod_is_within_its_guarantee() -> None:
    short = Shortage("ancestor", "dept", ("cpu",), {"cpu": 48_000}, {"cpu": 1_000})
    found = messages.shortage(POD, short, OWN, [("team-b", 47_000)], Guarantee("", {}))
    assert (found.reason, found.detail, found.starts) == (
        "WaitingForReclaim",
        "needs 2 cpu, which is within its guarantee (guaranteed 8, limit 48); quota dept above it "
        "has 1 of its current share of 48 left (largest users: team-b 47)",
        "It starts when 1 cpu is freed below dept",
    )
    assert found.facts != messages.shortage(POD, short, OWN).facts


def test_who_uses_most_above_is_no_news() -> None:
    short = Shortage("ancestor", "dept", ("cpu",), {"cpu": 48_000}, {"cpu": 0})
    before = messages.shortage(POD, short, OWN, [("team-b", 30_000)])
    after = messages.shortage(POD, short, OWN, [("team-c", 40_000)])
    assert before.detail != after.detail
    assert before.facts == after.facts
    less = Shortage("ancestor", "dept", ("cpu",), {"cpu": 48_000}, {"cpu": 1_000})
    assert messages.shortage(POD, less, OWN).facts != before.facts


@pytest.mark.parametrize(
    ("owed", "right"),
    [
        (Guarantee("", {"cpu": 8_000}), "within its guarantee (guaranteed 8, limit 48)"),
        (Guarantee("dept", {"cpu": 20_000}), "within the guarantee of 20 of quota dept"),
        (None, "within its current share (guaranteed 8, limit 48)"),
    ],
)
def test_full_nodes_say_by_what_right_the_pod_waits_for_reclaim(
    owed: Guarantee | None, right: str
) -> None:
    short = Shortage("nodes", "pool", ("cpu",), {"cpu": 64_000}, {"cpu": 500})
    found = messages.shortage(POD, short, OWN, (), owed)
    assert (found.reason, found.detail, found.starts) == (
        "WaitingForReclaim",
        f"needs 2 cpu, which is {right}; the nodes of tree pool have 0.5 of 64 left",
        "It starts when 1.5 cpu are freed there",
    )


def test_without_a_node_the_obstacles_are_counted() -> None:
    found = messages.no_node(POD, {"": 3, "are cordoned": 1, "lack label disk=ssd": 2})
    assert (found.reason, found.detail) == (
        "NoNodeFitsNow",
        "within its share, but of 6 nodes none has room for it now: 3 have less than 2 cpu, 4Gi "
        "memory free, 2 lack label disk=ssd, 1 is cordoned",
    )


def test_a_pod_that_asks_for_nothing_lacks_a_pod_slot() -> None:
    pod = replace(POD, request={"cpu": 0, names.PODS: 1})
    assert messages.no_node(pod, {"": 1}).detail == (
        "within its share, but of 1 node none has room for it now: 1 has no pod slot free"
    )


def test_a_gang_without_nodes_lacks_room_for_all_of_it() -> None:
    for why in ({"": 0, "are cordoned": 1}, {"are cordoned": 1}):
        assert messages.no_node(GANG, why).detail == (
            "within its share, but of 1 node none has room for all of it now: 1 is cordoned"
        )


MEMORY: Resources = {"memory": 8 * GI}


@pytest.mark.parametrize(
    ("found", "reason", "detail"),
    [
        (
            messages.others_unbound,
            "NoNodeFitsNow",
            "has room, but pods that have no node yet may take it, and then it would preempt "
            "others",
        ),
        (
            lambda: messages.many_without_node(8),
            "NoNodeFitsNow",
            "8 pods ahead of it find no node with room now",
        ),
        (
            lambda: messages.max_exhausted(POD, ("memory", "cpu"), MEMORY, {"memory": GI}),
            "QuotaExhausted",
            "needs 4Gi memory; its quota has 1Gi of its limit of 8Gi left; also short: cpu",
        ),
        (
            lambda: messages.non_preemptible(POD, ("memory",), MEMORY, {"memory": 6 * GI}),
            "QuotaExhausted",
            "needs 4Gi memory and may not be evicted; such pods may use what is guaranteed, and "
            "they use 6Gi of 8Gi",
        ),
        (
            lambda: messages.strict(POD),
            "WaitingInLine",
            "behind pod teams/a, which no pod of its quota may pass (its queueing is Strict)",
        ),
        (
            lambda: messages.behind(POD, 300),
            "WaitingInLine",
            "blocked by pod teams/a, which has been at the head of the queue for 300 s or more "
            "(head-of-line protection)",
        ),
        (
            lambda: messages.other_gates(replace(POD, gates=("b/gate", names.GATE, "a/gate"))),
            "WaitingForOtherGates",
            "other controllers hold it, too, by scheduling gate b/gate, a/gate",
        ),
        (
            lambda: messages.member_gated(replace(POD, gates=(names.GATE, "b/gate", "a/gate"))),
            "WaitingForGroup",
            "pod teams/a of its group is held by scheduling gate b/gate, a/gate",
        ),
        (
            lambda: messages.release_refused(POD),
            "ReleaseRefused",
            "the release of pod teams/a was refused (its event QuotaReleaseRefused says by whom), "
            "so it holds no room",
        ),
        (
            lambda: messages.surplus_of_group(replace(POD, group=Group("train", 4)), 4),
            "WaitingForGroup",
            "the first 4 pods of group train start without it",
        ),
        (
            lambda: messages.not_accepted(Verdict("ReservedName", "no")),
            "QuotaNotAccepted",
            "the quota is not accepted: ReservedName: no",
        ),
        (
            lambda: messages.infeasible(Infeasible("ExceedsMax", "needs 99 cpu.")),
            "ExceedsMax",
            "needs 99 cpu",
        ),
    ],
)
def test_what_waits_says_why(found: Callable[[], Message], reason: str, detail: str) -> None:
    said = found()
    assert (said.reason, said.detail) == (reason, detail)
    assert not said.starts.endswith(".")


ANN, ALL = Scope("dept", Subject("user", "ann")), Scope("dept", Subject("all"))


@pytest.mark.parametrize(
    ("reached", "application", "detail", "starts"),
    [
        (
            Reached(ANN, "cpu", 3_000, 4_000),
            "",
            "needs 2 cpu; user ann holds 3 of 4 in quota dept",
            "user ann frees 1 cpu there",
        ),
        (
            Reached(ALL, "cpu", 3_000, 4_000),
            "",
            f"needs 2 cpu; 3 of the 4 that annotation {names.ADMISSION} of quota dept allows are "
            "in use",
            "1 cpu is freed there",
        ),
        (
            Reached(ANN, "", 2, 2),
            "spark",
            "application spark is new, and 2 of 2 applications of user ann run in quota dept",
            "one of them ends",
        ),
        (
            Reached(ALL, "", 3, 2),
            "",
            "the application of teams is new, and 3 of 2 applications run in quota dept",
            "one of them ends",
        ),
    ],
)
def test_a_limit_that_is_reached_says_whose_it_is(
    reached: Reached, application: str, detail: str, starts: str
) -> None:
    pod = replace(POD, holder=Holder(user="ann", application=application))
    found = messages.limit_reached(pod, reached)
    assert (found.reason, found.detail) == ("LimitReached", detail)
    assert found.starts == f"It starts when {starts}"


def test_facts_are_the_text_where_no_figures_are_given() -> None:
    assert Message("NoNodeFits", "none", "It waits").facts == ("none",)
    where: Literal["own"] = "own"
    assert own(8_000, 0).facts[0] == where


@pytest.mark.parametrize(("guaranteed", "freed"), [(4, "when they free that much, or "), (3, "")])
def test_a_pod_larger_than_the_guarantee_waits_for_no_pod_to_free_it(
    guaranteed: int, freed: str
) -> None:
    """POD needs 4Gi, and may not be evicted."""
    low = {"memory": guaranteed * GI}
    message = messages.non_preemptible(POD, ("memory",), low, {"memory": GI})
    assert message.starts == (
        f"It starts {freed}when the guarantee is raised, or without label "
        f'{names.PREEMPTIBLE}: "false"'
    )


def test_a_pod_that_no_node_is_for_needs_other_constraints() -> None:
    found = messages.infeasible(Infeasible("NoNodeFits", "no node is for it", "It needs another"))
    assert found.starts == "It needs another"
    assert messages.infeasible(Infeasible("NoNodeFits", "needs 9 cpu")).starts == (
        "It starts only if it asks for less, or if a node for it joins the tree"
    )
