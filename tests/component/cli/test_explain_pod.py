"""``explain pod`` reports why a pod waits or runs, in the controller's words and in sums."""

import pytest

from elasticquota import names
from elasticquota_cli.why.parts import report
from explain_fixture import Explained
from stored import GATE, PREFIX, Stored


Screen = pytest.CaptureFixture[str]


@pytest.fixture
def cluster(explained: Explained) -> Explained:
    """40 cpu; dept-a has two teams, and dept-b borrows."""
    stored = explained
    stored.tree(20, 20)
    stored.department("dept-a", 10, 14)
    stored.quota("team-a", 4, 12, parent="dept-a")
    stored.quota("team-b", 4, 8, parent="dept-a")
    stored.quota("dept-b", 20, 40)
    return stored


@pytest.fixture
def two_teams(explained: Explained) -> Explained:
    """20 cpu; each team is guaranteed 8 and may use all."""
    stored = explained
    stored.tree(20)
    stored.quota("team-a", 8, 20)
    stored.quota("team-b", 8, 20)
    return stored


def run_many(stored: Stored, count: int, cpu: int = 1, namespace: str = "team-a") -> None:
    for number in range(count):
        stored.runs(f"run-{number}", cpu, namespace=namespace)


def test_a_waiting_pod_sees_its_path_and_what_would_admit_it(cluster: Explained) -> None:
    run_many(cluster, 12)
    cluster.waits("new", 2)
    assert cluster.lines("pod", "team-a/new") == [
        "Pod team-a/new waits for quota team-a.",
        "",
        "First      new, position 1 of 1",
        "State      Waiting",
        "Needs      2 cpu",
        "Why        Waiting for quota team-a: needs 2 cpu; all 12 of its current share are in "
        "use (guaranteed 4, limit 12). Position 1 of 1. It starts when 2 cpu are freed in "
        "team-a. [QuotaExhausted]",
        "Quota      team-a (tree pool): the quota has the name of the pod's namespace, "
        "and is in it",
        "Verdict    accepted",
        "Priority   0",
        "",
        "You can",
        "  - wait: nothing else is needed",
        "  - end pods of quota team-a that are no longer needed, or run fewer of them",
        "  - ask who keeps quota team-a for a larger share of it",
        "  - ask for max of team-a raised to 14 cpu",
        "",
        "PATH TO THE ROOT",
        "QUOTA    RESOURCE   ADMITTED       ASKED        RUNTIME   MIN   MAX",
        "team-a   cpu        12         +   2       >    12        4     12",
        "dept-a   cpu        12         +   2       >    12        10    14",
        "pool     cpu        12         +   2       <=   40        40    -",
    ]


def test_the_reason_is_the_same_as_in_the_pods_condition(cluster: Explained) -> None:
    run_many(cluster, 12)
    said = (
        "Waiting for quota team-a: needs 2 cpu; all 12 of its current share are in use (guaranteed "
        "4, limit 12). Position 1 of 1. It starts when 2 cpu are freed in team-a."
    )
    more = "More: kubectl elastic-quota explain pod team-a/new"
    condition = {
        "type": "PodScheduled",
        "status": "False",
        "message": f"{said} {more} [QuotaExhausted]",
    }
    cluster.waits("new", 2, status={"conditions": [condition]})
    whole = cluster.answer("pod", "team-a/new")
    found = whole.pod
    assert found is not None
    assert found.message == f"{said} [QuotaExhausted]"
    assert (found.reason, found.line) == ("QuotaExhausted", report.QueuePlace(1, 1))
    assert whole.notes == []


def test_a_condition_with_another_message_is_shown_too(cluster: Explained) -> None:
    run_many(cluster, 12)
    condition = {"type": "PodScheduled", "status": "False", "message": "something old"}
    cluster.waits("new", 2, status={"conditions": [condition]})
    found = cluster.answer("pod", "team-a/new")
    assert found.notes == ["the last message of the controller on the pod: something old"]


def test_what_the_controller_has_written_counts_and_what_holds_now_is_a_note(
    cluster: Explained,
) -> None:
    run_many(cluster, 12)
    said = "Waiting for quota team-a: needs 9 cpu. Position 4 of 5. [AncestorExhausted]"
    condition = {"type": "PodScheduled", "status": "False", "message": said}
    cluster.waits("new", 2, status={"conditions": [condition]})
    whole = cluster.answer("pod", "team-a/new")
    found = whole.pod
    assert found is not None
    assert (found.message, found.reason, found.line) == (
        said,
        "AncestorExhausted",
        report.QueuePlace(4, 5),
    )
    (note,) = whole.notes
    assert note.startswith("by the objects as they are now: Waiting for quota team-a: needs 2 cpu;")


def test_a_quota_above_with_a_larger_shortage_is_named_too(cluster: Explained) -> None:
    run_many(cluster, 12)
    run_many(cluster, 4, namespace="team-b")
    cluster.waits("new", 1)
    found = cluster.about_pod("team-a/new")
    assert [(step.quota, step.fits) for step in found.path] == [
        ("team-a", False),
        ("dept-a", False),
        ("pool", True),
    ]
    assert found.edits == [
        "max of team-a raised to 13 cpu and max of dept-a raised to 17 cpu",
    ]


def test_a_larger_max_is_named_only_where_it_would_admit_the_pod(two_teams: Explained) -> None:
    run_many(two_teams, 10)
    run_many(two_teams, 10, namespace="team-b")
    two_teams.waits("new", 2)
    two_teams.waits("new", 2, namespace="team-b")
    found = two_teams.about_pod("team-a/new")
    assert found.path[0].max == "20"
    assert not any("max" in text for text in found.edits)


def test_a_larger_min_is_named_where_others_would_then_be_reclaimed(two_teams: Explained) -> None:
    run_many(two_teams, 10)
    run_many(two_teams, 10, namespace="team-b")
    two_teams.waits("new", 2)
    found = two_teams.about_pod("team-a/new")
    assert found.edits == ["min of team-a raised to 12 cpu"]


def test_a_min_above_max_is_never_proposed(two_teams: Explained) -> None:
    two_teams.quota("team-c", 2, 5)
    run_many(two_teams, 4, namespace="team-c")
    run_many(two_teams, 16, namespace="team-b")
    two_teams.waits("new", 2, namespace="team-c")
    found = two_teams.about_pod("team-c/new")
    assert not any("min" in text for text in found.edits)


def test_only_pods_that_are_not_preemptible_must_fit_in_min(cluster: Explained) -> None:
    run_many(cluster, 8)
    cluster.waits("new", 6)
    found = cluster.about_pod("team-a/new")
    assert not any("min" in text for text in found.edits)


def test_more_room_is_not_proposed_to_a_pod_in_the_wrong_quota(cluster: Explained) -> None:
    run_many(cluster, 12)
    cluster.waits("lost", 1, labels={f"{PREFIX}name": "dept-a"})
    found = cluster.about_pod("team-a/lost")
    assert (found.reason, found.edits) == ("QuotaNotAccepted", [])
    assert "Name one of its leaf quotas [PD1301]" in found.message
    assert found.can_do == [f"remove its label {PREFIX}name; then it belongs to quota team-a"]


def test_a_pod_further_back_says_which_pods_are_ahead(cluster: Explained) -> None:
    run_many(cluster, 11)
    for name, cpu in (("first", 2), ("second", 2), ("third", 2)):
        cluster.waits(name, cpu)
    found = cluster.about_pod("team-a/third")
    assert found.line == report.QueuePlace(3, 3)
    assert found.edits == [
        "max of team-a raised to 17 cpu and max of dept-a raised to 17 cpu, which also "
        "admits the pods ahead of it",
    ]


def test_the_pods_of_a_gang_have_one_place_in_the_queue(cluster: Explained) -> None:
    run_many(cluster, 12)
    size = {names.POD_GROUP_SIZE: "2"}
    for name in ("one", "other"):
        cluster.waits(name, 1, labels={names.POD_GROUP: "train"}, annotations=size)
    cluster.waits("behind", 1)
    found = cluster.about_pod("team-a/behind")
    assert "Position 2 of 2." in found.message
    assert found.line == report.QueuePlace(2, 2)


def test_a_pod_larger_than_max_says_which_max(cluster: Explained) -> None:
    cluster.waits("big", 15)
    found = cluster.about_pod("team-a/big")
    assert (found.reason, found.line) == ("ExceedsMax", None)
    assert found.edits == [
        "max of team-a raised to 15 cpu and max of dept-a raised to 15 cpu",
        "a smaller request",
    ]


def test_a_pod_larger_than_every_node_says_so(cluster: Explained) -> None:
    cluster.waits("huge", 21, namespace="dept-b")
    found = cluster.about_pod("dept-b/huge")
    assert found.reason == "NoNodeFits"
    assert found.edits == []
    assert found.can_do == [
        "ask for less in the requests of the pod",
        "check its node selector, affinity and tolerations",
        "ask the administrator for nodes that it fits on",
    ]


def test_a_pod_that_is_not_preemptible_must_fit_in_min(cluster: Explained) -> None:
    cluster.waits("firm", 6, labels={f"{PREFIX}preemptible": "false"})
    found = cluster.about_pod("team-a/firm")
    assert found.edits == [
        "min of team-a raised to 6 cpu",
        f"no label {PREFIX}preemptible: false",
    ]


def test_pod_slots_are_reported_only_where_they_are_short(cluster: Explained) -> None:
    for document in cluster.documents:
        if document["kind"] == "Node":
            document["status"]["allocatable"]["pods"] = "2"
    run_many(cluster, 4)
    cluster.waits("new", 1)
    found = cluster.about_pod("team-a/new")
    assert [(step.quota, step.resource) for step in found.path if not step.fits] == [
        ("pool", "pods")
    ]
    assert "1 pod slot" in found.message


def test_a_pod_that_fits_is_admitted_now(cluster: Explained) -> None:
    cluster.waits("new", 2)
    found = cluster.about_pod("team-a/new")
    assert (found.state, found.reason, found.edits) == ("Fits", "", [])
    assert [(step.admitted, step.asked) for step in found.path] == [("0", "2")] * 3


@pytest.mark.parametrize("reason", ["WaitingForProvisioning", "ProvisioningRefused"])
def test_a_pod_that_waits_for_the_answer_of_an_autoscaler_shows_it(
    cluster: Explained, reason: str
) -> None:
    said = f"Waiting for quota team-a: ProvisioningRequest train-1: no machine. [{reason}]"
    condition = {"type": "PodScheduled", "status": "False", "message": said}
    cluster.waits("new", 2, status={"conditions": [condition]})
    found = cluster.about_pod("team-a/new")
    assert (found.state, found.message) == ("Waiting", said)


def test_pods_admitted_just_now_count_on_the_path(cluster: Explained) -> None:
    run_many(cluster, 11)
    cluster.waits("first", 1)
    cluster.waits("second", 1)
    found = cluster.about_pod("team-a/second")
    assert [step.admitted for step in found.path] == ["12", "12", "12"]


def test_pods_admitted_in_a_parent_quota_itself_count_too(cluster: Explained) -> None:
    config = cluster.configured("rules: {overrides: {PD1301: off, PD1307-unbound: off}}")
    for name in ("first", "second"):
        cluster.waits(name, 1, labels={f"{PREFIX}name": "dept-a"})
    found = cluster.about_pod("team-a/second", *config)
    assert [(step.quota, step.admitted) for step in found.path] == [
        ("dept-a", "1"),
        ("dept-a", "1"),
        ("pool", "1"),
    ]


def test_a_gate_of_another_controller_is_named(cluster: Explained) -> None:
    gates = [{"name": GATE}, {"name": "example.com/data"}]
    cluster.waits("new", 1, spec={"schedulingGates": gates})
    found = cluster.about_pod("team-a/new")
    assert found.state == "Waiting"
    assert "example.com/data" in found.message


def test_a_pod_that_waits_for_reclaim_sees_the_victims(two_teams: Explained) -> None:
    run_many(two_teams, 10, cpu=2)
    two_teams.waits("new", 3, namespace="team-b")
    shown = two_teams.lines("pod", "team-b/new")
    assert shown[shown.index("WOULD BE EVICTED IF NOTHING CHANGES (2)") :] == [
        "WOULD BE EVICTED IF NOTHING CHANGES (2)",
        "NAMESPACE   POD     HOLDS   WHY",
        "team-a      run-9   2 cpu   quota team-a uses 20 cpu, 3 more than its current share "
        "of 17; quota team-b reclaims this room for pod team-b/new (within its guarantee). It "
        "starts again when team-a has room",
        "team-a      run-8   2 cpu   quota team-a uses 20 cpu, 3 more than its current share "
        "of 17; quota team-b reclaims this room for pod team-b/new (within its guarantee). It "
        "starts again when team-a has room",
    ]


def test_a_more_important_pod_sees_the_pod_that_it_preempts(cluster: Explained) -> None:
    run_many(cluster, 12)
    cluster.waits("urgent", 1, spec={"priority": 7})
    (gone,) = cluster.about_pod("team-a/urgent").evictions
    assert gone.message.startswith("pod team-a/urgent of the same quota team-a takes its")


@pytest.mark.parametrize(
    ("labels", "possible", "why"),
    [
        ({}, True, "it is evicted if nothing changes: quota team-a uses 20 cpu"),
        ({f"{PREFIX}preemptible": "false"}, False, f"its label {PREFIX}preemptible is false"),
    ],
)
def test_a_pod_of_a_quota_above_its_runtime_may_be_evicted(
    labels: dict[str, str],
    possible: bool,
    why: str,
    two_teams: Explained,
) -> None:
    run_many(two_teams, 18)
    two_teams.runs("last", 2, labels=labels)
    two_teams.waits("new", 2, namespace="team-b")
    found = two_teams.about_pod("team-a/last")
    assert found.state == "Running"
    assert found.message == "it is admitted, and on node node-1 since 2026-11-20T07:00:23Z"
    assert found.reclaim is not None
    assert found.reclaim.possible is possible
    assert found.reclaim.why.startswith(why)
    assert found.reclaim.beyond == {"cpu": "2"}


def test_a_pod_that_is_no_victim_is_reported_as_safe(two_teams: Explained) -> None:
    run_many(two_teams, 20)
    two_teams.waits("new", 2, namespace="team-b")
    found = two_teams.about_pod("team-a/run-0")
    assert found.reclaim == report.ReclaimAnswer(
        True,
        {"cpu": "2"},
        "team-a holds 2 cpu beyond its runtime; other pods of it are evicted first, and they are "
        "enough",
    )


def test_where_evictions_are_paused_no_pod_is_evicted(two_teams: Explained) -> None:
    run_many(two_teams, 20)
    two_teams.waits("new", 2, namespace="team-b")
    config = two_teams.configured("reclaim: {paused: true}")
    found = two_teams.answer("pod", "team-a/run-0", *config)
    assert found.pod is not None
    assert found.pod.reclaim is not None
    assert found.pod.reclaim.why.endswith("beyond its runtime; evictions are paused")
    assert found.notes == ["evictions are paused by the configuration"]


def test_a_pod_within_its_quotas_min_stays(two_teams: Explained) -> None:
    two_teams.runs("run", 2)
    assert two_teams.lines("pod", "team-a/run")[-6:] == [
        "Reclaim    no: team-a holds no more than its min; a pod of higher priority in the "
        "same quota may take its place",
        "",
        "PATH TO THE ROOT",
        "QUOTA    RESOURCE   ADMITTED        RUNTIME   MIN   MAX",
        "team-a   cpu        2          <=   2         8     20",
        "pool     cpu        2          <=   20        20    -",
    ]


def test_a_pod_of_a_quota_within_its_runtime_may_go_for_the_min_of_another(
    two_teams: Explained,
) -> None:
    run_many(two_teams, 10)
    found = two_teams.about_pod("team-a/run-0")
    assert found.reclaim == report.ReclaimAnswer(
        True,
        {},
        "team-a holds 2 cpu beyond its min, which a pod within the min of another quota may take; "
        "no pod would gain from it now",
    )


def test_a_pod_of_a_quota_whose_policy_is_disabled_stays(explained: Explained) -> None:
    stored = explained
    stored.tree(20)
    stored.quota("team-a", 8, 20)["spec"]["reclaim"] = {"preemption": "Disabled"}
    run_many(stored, 10)
    found = stored.about_pod("team-a/run-0")
    assert found.reclaim == report.ReclaimAnswer(
        False,
        {},
        "spec.reclaim.preemption of its quota, or of one above, is Disabled",
    )


def test_a_finished_pod_counts_nowhere(cluster: Explained) -> None:
    cluster.runs("done", 1, status={"phase": "Succeeded"})
    found = cluster.about_pod("team-a/done")
    assert (found.state, found.quota, found.path) == ("Finished", "team-a", [])
    assert found.message == "it has finished (Succeeded), and counts nowhere"
    assert cluster.lines("pod/done", "-n", "team-a", "-o", "text") == [
        "Pod team-a/done: it has finished (Succeeded), and counts nowhere."
    ]


def test_a_pod_outside_of_every_quota_is_not_limited(cluster: Explained) -> None:
    cluster.runs("stray", 1, namespace="nowhere")
    config = cluster.configured("accounting: {defaultQuota: false}")
    found = cluster.about_pod("nowhere/stray", *config)
    assert (found.state, found.quota, found.rule) == ("Unlimited", "", "none")
    assert found.message == "it belongs to no quota, so it is neither limited nor reclaimed"


def test_a_pod_of_a_rejected_quota_shows_the_verdict(cluster: Explained) -> None:
    cluster.quota("lost", 1, 2, parent="absent")
    cluster.waits("pod", 1, namespace="lost")
    found = cluster.about_pod("lost/pod")
    assert found.reason == "QuotaNotAccepted"
    assert found.verdict == report.VerdictRow(
        False,
        "ParentNotFound",
        "there is no quota 'absent'. Create it, or correct the name. [EQ1101]",
    )
    assert (found.tree, found.path, found.edits) == ("", [], [])


def test_a_pod_in_a_parent_quota_sees_the_share_of_the_parents_own_pods(cluster: Explained) -> None:
    cluster.runs("own", 1, labels={f"{PREFIX}name": "dept-a"})
    found = cluster.about_pod("team-a/own")
    assert [(step.quota, step.parents_own_pods) for step in found.path] == [
        ("dept-a", True),
        ("dept-a", False),
        ("pool", False),
    ]


@pytest.mark.parametrize(
    ("namespace", "facts", "rule", "quota", "why"),
    [
        ("x", {"labels": {f"{PREFIX}name": "team-b"}}, "label", "team-b", "its label"),
        ("team-b", {}, "namespace", "team-b", "the quota has the name of"),
        ("bound", {}, "annotation", "binder", "the quota binds namespace bound"),
        ("x", {}, "default", "koordinator-default-quota", "neither a label nor"),
        (
            "x",
            {"labels": {f"{PREFIX}name": "team-z"}},
            "default",
            "koordinator-default-quota",
            "its label names 'team-z', which takes no pods by name; neither",
        ),
        ("kube-system", {}, "system", "koordinator-system-quota", "namespace kube-system belongs"),
        (
            "x",
            {"annotations": {"kubernetes.io/config.mirror": "1"}},
            "system",
            "koordinator-system-quota",
            "it is a static pod",
        ),
        (
            "x",
            {"metadata": {"ownerReferences": [{"kind": "DaemonSet", "controller": True}]}},
            "system",
            "koordinator-system-quota",
            "a DaemonSet made it",
        ),
    ],
)
def test_the_rule_that_assigns_a_pod_to_its_quota_is_named(
    namespace: str,
    facts: dict[str, object],
    rule: str,
    quota: str,
    why: str,
    cluster: Explained,
) -> None:
    cluster.quota("binder", 0, 1, annotations={f"{PREFIX}namespaces": '["bound"]'})
    cluster.runs("pod", 1, namespace=namespace, **facts)
    found = cluster.about_pod(f"{namespace}/pod")
    assert (found.rule, found.quota) == (rule, quota)
    assert found.rule_message.startswith(why)


def test_an_edit_is_tried_with_the_sizes_that_objects_of_groups_state(cluster: Explained) -> None:
    cluster.add(
        "v1",
        "ConfigMap",
        "eq",
        "elastic-quota-in-force",
        data={"config.yaml": "podGroups: {kinds: [volcano]}"},
    )
    cluster.add(
        "scheduling.volcano.sh/v1beta1", "PodGroup", "team-a", "train", spec={"minMember": 2}
    )
    run_many(cluster, 12)
    for name in ("new", "other"):
        cluster.waits(name, 1, annotations={"scheduling.k8s.io/group-name": "train"})
    found = cluster.about_pod("team-a/new")
    assert "group volcano/train of 2 pods needs 2 cpu" in found.message
    assert "max of team-a raised to 13 cpu" not in found.edits
