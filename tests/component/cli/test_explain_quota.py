"""``explain quota`` shows how a runtime is computed, in the sums of the rule."""

import json
from pathlib import Path

import pytest

from elasticquota import quantity
from elasticquota.sharing import level
from elasticquota_cli import main as cli
from elasticquota_cli.why.parts import report
from explain_fixture import Explained, quota_of
from stored import PREFIX


EXAMPLES = Path(__file__).parents[3] / "examples"

HEAD = "QUOTA    MIN   ASKED   GUARANTEED       BY WEIGHT       RUNTIME   WEIGHT   BORROWED   LENT"

Screen = pytest.CaptureFixture[str]


def weight(cpus: int) -> dict[str, str]:
    return {f"{PREFIX}shared-weight": json.dumps({"cpu": str(cpus)})}


@pytest.fixture
def cluster(explained: Explained) -> Explained:
    """40 cpu, of which an external pod holds 2; all teams request more than there is."""
    stored = explained
    stored.tree(20, 20)
    stored.department("dept-a", 10, 14, annotations=weight(1))
    stored.quota("team-a", 4, 12, parent="dept-a")
    stored.quota("team-b", 4, 8, parent="dept-a")
    stored.quota("dept-b", 20, 40, annotations=weight(3))
    stored.runs("stranger", 2, namespace="nowhere")
    for number in range(8):
        stored.runs(f"run-{number}", 1)
    for number in range(3):
        stored.runs(f"run-{number}", 1, namespace="team-b")
    for number in range(12):
        stored.runs(f"run-{number}", 2, namespace="dept-b")
    stored.waits("new", 4)
    stored.waits("new", 6, namespace="dept-b")
    return stored


def test_every_step_from_the_nodes_to_the_quota_is_a_sum(cluster: Explained) -> None:
    assert cluster.lines("quota", "team-a") == [
        "Quota     team-a/team-a",
        "Verdict   accepted",
        "Path      team-a -> dept-a -> pool",
        "Pods      8 admitted, 1 waiting",
        "",
        "FIGURES",
        "RESOURCE   MIN   MAX   WEIGHT   REQUEST   USED   ADMITTED   RUNTIME",
        "cpu        4     12    12       12        8      8          9",
        "",
        "CPU: the nodes of tree pool offer 38, of 40 less 2 that pods outside of the tree hold, "
        "2 of it only until a min needs it",
        "",
        "pool shares 38 cpu: 30 guaranteed + 8 by weight",
        HEAD,
        "dept-a   10    14      10           +   2           =   12        1        2          0",
        "dept-b   20    30      20           +   6           =   26        3        6          0",
        "",
        "dept-a shares 12 cpu: 7 guaranteed + 5 by weight",
        HEAD,
        "team-a   4     12      4            +   5           =   9         12       5          0",
        "team-b   4     3       3            +   0           =   3         8        0          1",
        "",
        "WAITING (1)",
        "NAMESPACE   POD   WHY",
        "team-a      new   Waiting for quota team-a: needs 4 cpu; 8 of its current share of 9 "
        "are in use (guaranteed 4, limit 12). Position 1 of 1. It starts when 3 cpu are freed "
        "in team-a or its share grows. [QuotaExhausted]",
    ]


def amounts(found: report.LevelRow, side: str) -> list[int]:
    texts = (getattr(share, side) for share in found.shares)
    return [quantity.amount(found.resource, text) for text in texts]


def assert_every_level_is_the_rule(found: report.QuotaAnswer) -> None:
    for each in found.levels:
        lo, hi = amounts(each, "guaranteed"), amounts(each, "asked")
        total = quantity.amount(each.resource, each.runtime)
        by_rule = level.share(total, lo, hi, amounts(each, "weight"), amounts(each, "min"))
        assert amounts(each, "runtime") == by_rule


@pytest.mark.parametrize("name", ["team-a", "team-b", "dept-a", "dept-b"])
def test_each_table_has_all_inputs_of_the_rule(name: str, cluster: Explained) -> None:
    found = cluster.about_quota(name)
    assert [level.parent for level in found.levels] == found.path[:0:-1]
    assert_every_level_is_the_rule(found)


def test_weights_missing_max_and_a_parents_own_pods_are_shown(cluster: Explained) -> None:
    cluster.quota("wide", 0, {}, parent="dept-a")
    cluster.quota("open", 0, {})
    cluster.quota("heavy", 1, 9, parent="dept-a", annotations=weight(50))
    for namespace in ("wide", "heavy"):
        cluster.waits("new", 5, namespace=namespace)
    cluster.runs("own", 3, namespace="x", labels={f"{PREFIX}name": "dept-a"})
    found = cluster.about_quota("heavy")
    outer, inner = found.levels
    assert outer.shares[-1].weight == "38"
    assert {share.quota: share.weight for share in inner.shares} == {
        "heavy": "50",
        "team-a": "12",
        "team-b": "8",
        "wide": "14",
        "dept-a": "14",
    }
    assert [share.quota for share in inner.shares if share.parents_own_pods] == ["dept-a"]
    assert_every_level_is_the_rule(found)


def test_too_few_nodes_shrink_the_guarantees(cluster: Explained) -> None:
    cluster.documents = [each for each in cluster.documents if each["metadata"]["name"] != "node-2"]
    lines = cluster.lines("quota", "dept-b")
    assert (
        "pool shares 20 cpu: less than the 30 guaranteed, so guarantees shrink in proportion to min"
    ) in lines
    assert_every_level_is_the_rule(cluster.about_quota("dept-b"))


def test_a_fully_met_request_is_reported(cluster: Explained) -> None:
    cluster.documents = [
        each
        for each in cluster.documents
        if each["kind"] != "Pod" or each["metadata"]["namespace"] == "team-b"
    ]
    lines = cluster.lines("quota", "team-b")
    assert "pool shares 40 cpu: all that is asked fits, 3" in lines
    assert "dept-a shares 3 cpu: all that is asked fits, 3" in lines


def test_an_owner_sees_what_is_reclaimed_for_it_and_from_which_quotas(explained: Explained) -> None:
    stored = explained
    stored.tree(20)
    stored.quota("team-a", 8, 20)
    stored.quota("team-b", 8, 20)
    for number in range(10):
        stored.runs(f"run-{number}", 2)
    stored.waits("new", 2, namespace="team-b")
    owner = stored.about_quota("team-b")
    assert [(gone.name, gone.quota) for gone in owner.would_reclaim] == [("run-9", "team-a")]
    assert owner.would_lose == []
    giver = stored.about_quota("team-a")
    assert [gone.name for gone in giver.would_lose] == ["run-9"]
    assert "WOULD RECLAIM IF NOTHING CHANGES (1)" in stored.lines("quota", "team-b")
    assert "WOULD LOSE IF NOTHING CHANGES (1)" in stored.lines("quota", "team-a")


def test_a_root_shares_with_no_quota(cluster: Explained) -> None:
    found = cluster.about_quota("pool")
    assert (found.path, found.levels) == (["pool"], [])
    assert found.ground[0] == report.GroundRow("cpu", "40", "2", "2", "38")


def test_a_quota_in_no_tree_has_a_verdict_and_its_own_figures(cluster: Explained) -> None:
    cluster.quota("lost", 1, 2, parent="absent")
    cluster.runs("own", 1, namespace="lost")
    lines = cluster.lines("quota", "lost")
    assert lines == [
        "Quota     lost/lost",
        "Verdict   not accepted: ParentNotFound: there is no quota 'absent'. Create it, or "
        "correct the name. [EQ1101]",
        "Path      it is in no tree",
        "Pods      1 admitted, 0 waiting",
        "",
        "FIGURES",
        "RESOURCE   MIN   MAX   WEIGHT   REQUEST   USED   ADMITTED   RUNTIME",
        "cpu        0     2     -        1         1      1          -",
        "pods       0     -     -        1         1      1          -",
    ]


def test_a_quota_of_a_taken_name_is_found_by_its_namespace(cluster: Explained) -> None:
    cluster.quota("team-a", 1, 2, namespace="other")
    found = cluster.about_quota("other/team-a")
    assert found.verdict is not None
    assert (found.verdict.reason, found.path) == ("NameConflict", [])
    assert cluster.about_quota("team-a").namespace == "team-a"


@pytest.mark.parametrize("name", ["koordinator-default-quota", "koordinator-system-quota"])
def test_a_built_in_quota_needs_no_verdict(name: str, cluster: Explained) -> None:
    found = cluster.about_quota(name)
    assert (found.verdict, found.namespace) == (None, "")


def test_the_wide_text_shows_all_siblings_and_the_short_one_no_level(explained: Explained) -> None:
    stored = explained
    stored.tree(20)
    for number in range(30):
        stored.quota(f"team-{number:02}", 0, 20)
        stored.runs("run", {"cpu": f"{100 + number}m"}, namespace=f"team-{number:02}")
    lines = stored.lines("quota", "team-00")
    rows = [line.split()[0] for line in lines if line.startswith("team-")]
    assert rows == [f"team-{number:02}" for number in range(30)]
    short = stored.lines("quota", "team-00", "-o", "text")
    assert "FIGURES" in short
    assert not any(line.startswith("team-") for line in short)


def test_files_written_by_hand_are_admitted_before_they_are_explained(capsys: Screen) -> None:
    file = str(EXAMPLES / "two-teams")
    assert cli.main(["explain", "quota", "team-a", "-f", file, "-o", "json"]) == 0
    found = quota_of(capsys)
    assert found.pods == report.QuotaPods(8, 6)
    assert_every_level_is_the_rule(found)
