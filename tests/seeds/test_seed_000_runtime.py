"""Seed 000, multi-hierarchy quotas: its worked examples of min, lending, weight and the tree."""

import forests
from worlds import World


FOUR_GROUPS = "A 10..40; B 15..60; C 20..50; D 15..80"
TWO_PARENTS = (
    "ParentA 20..100; ParentB 80..100; A1<ParentA 10..10; A2<ParentA 10..10; "
    "B1<ParentB 20..40; B2<ParentB 40..70"
)
DEPARTMENTS = "dept 40..100; a<dept 10..100; b<dept 30..100; outside"


def test_seed_000_key_concepts_1_a_request_within_min_is_met_whatever_others_want() -> None:
    """Seed: then it "can obtain equivalent resources"; and what it leaves, the other may use."""
    for asked in (0, 1, 29, 30):
        found = forests.runtimes("owner 30..60; busy 70..1000", 100, owner=asked, busy=1000)
        assert found == {"owner": asked, "busy": 100 - asked}


def test_seed_000_key_concepts_2_unused_min_is_lent_and_returned() -> None:
    line = "owner 60..100; busy 40..100"
    assert forests.runtimes(line, 100, owner=10, busy=100) == {"owner": 10, "busy": 90}
    assert forests.runtimes(line, 100, owner=60, busy=100) == {"owner": 60, "busy": 40}


def test_seed_000_key_concepts_2_a_group_may_choose_not_to_share() -> None:
    line = "owner 60..100 keep; busy 40..100"
    assert forests.runtimes(line, 100, owner=10, busy=100) == {"owner": 60, "busy": 40}


def test_seed_000_key_concepts_3_runtime_above_min_ends_at_max() -> None:
    assert forests.runtimes("owner 10..25; other 5..10", 100, owner=90) == {"owner": 25, "other": 0}


def test_seed_000_key_concepts_4_a_department_lends_inside_but_not_to_others() -> None:
    """Its teams "borrow resources from each other", and if it keeps, others get nothing."""
    asked = {"a": 100, "outside": 100}
    lending = forests.runtimes(DEPARTMENTS, 100, **asked)
    assert lending == {"dept": 70, "a": 70, "b": 0, "outside": 30}
    keeping = forests.runtimes(
        DEPARTMENTS.replace("dept 40..100", "dept 100..100 keep"), 100, **asked
    )
    assert keeping == {"dept": 100, "a": 100, "b": 0, "outside": 0}


def test_seed_000_calculate_runtime_the_min_part_is_5_15_20_15() -> None:
    """Second picture: with the guaranteed 55 there is nothing to compete for yet."""
    found = forests.runtimes(FOUR_GROUPS, 55, A=5, B=20, C=40, D=70)
    assert found == {"A": 5, "B": 15, "C": 20, "D": 15}


def test_seed_000_calculate_runtime_45_go_14_12_19_while_all_are_hungry() -> None:
    """Seed: "B can get 45 * 60 / (60 + 50 + 80) = 14", C 12, D 19, each on top of its min."""
    found = forests.runtimes(FOUR_GROUPS, 100, A=5, B=1000, C=1000, D=1000)
    assert found == {"A": 5, "B": 15 + 14, "C": 20 + 12, "D": 15 + 19}


def test_seed_000_calculate_runtime_the_9_that_b_leaves_go_3_and_6() -> None:
    """B needs 5 of its 14; C and D share 9 as 50 to 80: the last picture, 5 20 35 40."""
    found = forests.runtimes(FOUR_GROUPS, 100, A=5, B=20, C=40, D=70)
    assert found == {"A": 5, "B": 20, "C": 20 + 12 + 3, "D": 15 + 19 + 6}


def test_seed_000_calculate_runtime_max_is_the_default_weight() -> None:
    weighted = "A 10..40 w=40; B 15..60 w=60; C 20..50 w=50; D 15..80 w=80"
    asked = {"A": 5, "B": 20, "C": 40, "D": 70}
    assert forests.runtimes(weighted, 100, **asked) == forests.runtimes(FOUR_GROUPS, 100, **asked)


def test_seed_000_calculate_runtime_an_administrator_may_choose_another_weight() -> None:
    line = "A 10..40; B 15..60; C 20..50 w=80; D 15..80 w=50"
    found = forests.runtimes(line, 100, A=5, B=20, C=100, D=100)
    assert found == {"A": 5, "B": 20, "C": 45, "D": 30}


def test_seed_000_calculate_runtime_after_a_node_failure_min_shrinks_in_proportion() -> None:
    """Seed: reduced "in a moderate proportion", so that the sum is within the total."""
    line = "A 40..100; B 60..100"
    asked = {"A": 100, "B": 100}
    assert forests.runtimes(line, 100, **asked) == {"A": 40, "B": 60}
    assert forests.runtimes(line, 50, **asked) == {"A": 20, "B": 30}


def test_seed_000_calculate_runtime_the_sys_group_is_taken_off_the_total() -> None:
    """The group itself "will never be bound by the quota"; the others share what is left."""
    world = World(nodes=1, cpu=100)
    world.quota("A", min=100)
    world.pods("A", 100, waiting=True)
    world.pods("", 30, namespace="kube-system", prefix="agent")
    decisions = world.decide()
    (runtime,) = [status.runtime["cpu"] for status in decisions.statuses if status.key.name == "A"]
    assert runtime == 70_000
    assert len(decisions.releases) == 70


def test_seed_000_quota_tree_requests_add_up_each_cut_by_its_own_max() -> None:
    """Seed: the sum of "min(child group request, child group max)": 10 + 10 and 40 + 70."""
    assert forests.requests(TWO_PARENTS, A1=100, A2=100, B1=100, B2=100) == {
        "A1": 100, "A2": 100, "ParentA": 20, "B1": 100, "B2": 100, "ParentB": 110,
    }  # fmt: skip


def test_seed_000_quota_tree_runtime_goes_down_20_80_then_10_10_27_53() -> None:
    """A parent's runtime "is the total resources of the child quota groups"."""
    assert forests.runtimes(TWO_PARENTS, 100, A1=100, A2=100, B1=100, B2=100) == {
        "ParentA": 20, "ParentB": 80, "A1": 10, "A2": 10, "B1": 27, "B2": 53,
    }  # fmt: skip


def test_seed_000_configuration_limit_1_the_mins_of_children_fit_their_parents() -> None:
    verdicts = forests.verdicts("dept 30..; a<dept 20..; b<dept 10..; c<dept 1..")
    assert verdicts == {
        "dept": "Accepted", "a": "Accepted", "b": "Accepted", "c": "MinExceedsParent",
    }  # fmt: skip


def test_seed_000_configuration_limit_1_the_first_level_is_exempt() -> None:
    """When nodes go, "we don't want to hinder the update of the quota groups"."""
    line = "pool root=blue 100..; a<pool 80..; b<pool 80.."
    assert set(forests.verdicts(line).values()) == {"Accepted"}


def test_seed_000_configuration_limit_2_a_childs_max_may_exceed_its_parents() -> None:
    """The dev and production example: only dev-parent's max is lowered, and all of dev shrinks."""
    below = "dev1<dev ..60; dev2<dev ..60; prod1<production 20..100"
    asked = {"dev1": 60, "dev2": 60, "prod1": 100}
    calm = forests.runtimes(f"dev ..80; production 20..100; {below}", 100, **asked)
    busy = forests.runtimes(f"dev ..10; production 20..100; {below}", 100, **asked)
    assert calm == {"dev": 36, "dev1": 18, "dev2": 18, "production": 64, "prod1": 64}
    assert busy == {"dev": 7, "dev1": 4, "dev2": 3, "production": 93, "prod1": 93}


def test_seed_000_configuration_limit_4_only_a_parent_group_can_be_a_parent() -> None:
    assert forests.verdicts("a leaf; b<a")["b"] == "ParentNotAParent"
