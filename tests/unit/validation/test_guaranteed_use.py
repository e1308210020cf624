"""EQ1104 where use is guaranteed: a min stands beside what runs above its min."""

import changes
import forests
from elasticquota.validation import guaranteed_use


POOL = "pool 10.. root=blue firm; dept<pool 8..; a<dept 2..; b<dept 2..; c<pool 1.."
RUNS = {"pool": 9, "dept": 7, "a": 1, "b": 6, "c": 2}


def lines(entry: str, used: dict[str, int] = RUNS, before: str = POOL) -> list[str]:
    return changes.lines(guaranteed_use.check, before, entry, used_by=forests.devices(**used))


def test_a_min_that_finds_no_room_beside_what_runs_is_refused() -> None:
    # dept would have to guarantee 5 + 6, and so pool 11 + 2.
    assert lines("a<dept 5..") == [
        "spec.min.device: 5 would raise what tree 'pool' guarantees to 13, but it can "
        "guarantee 10, because what runs is guaranteed there too. Lower it, or wait until less "
        "runs above its min. More: kubectl elastic-quota explain quota pool [EQ1104]"
    ]


def test_what_fits_in_the_guarantee_of_a_parent_changes_nothing_above() -> None:
    assert lines("a<dept 2..") == []
    assert lines("a<dept 5..", {**RUNS, "dept": 4, "b": 3}) == []


def test_what_fits_only_in_the_guarantee_of_the_root_passes_too() -> None:
    assert lines("a<dept 3..", {**RUNS, "dept": 7, "c": 0, "pool": 7}) == []
    assert len(lines("a<dept 4..", {**RUNS, "dept": 7, "c": 0, "pool": 7})) == 1


def test_a_new_quota_and_pods_of_a_parent_itself_count() -> None:
    assert len(lines("d<dept 3..")) == 1
    assert len(lines("a<dept 4..", {"pool": 7, "dept": 7, "b": 4})) == 1


def test_a_quota_that_moves_takes_what_runs_in_it_along() -> None:
    # dept guarantees 8 to a and b, other goes on guaranteeing 5, and c brings what it uses.
    two = POOL.replace("10..", "15..").replace("c<pool 1..", "other<pool 5..; c<other 1..")
    runs = {"dept": 7, "a": 1, "b": 6}
    assert lines("c<dept 1..", {**runs, "pool": 9, "other": 2, "c": 2}, two) == []
    assert len(lines("c<dept 1..", {**runs, "pool": 10, "other": 3, "c": 3}, two)) == 1
    # Where it stood it is not counted again.
    assert lines("c<dept 1..", {**runs, "pool": 9, "c": 2}) == []


def test_a_forced_edit_is_found_by_its_own_name() -> None:
    change = changes.change(POOL, "a<dept 5.. forced", used_by=forests.devices(**RUNS))
    (found,) = guaranteed_use.check(change, forests.forest(POOL))
    assert found.rule == "EQ1104-forced"


def test_only_a_min_that_rises_in_a_tree_that_guarantees_use_is_judged() -> None:
    assert lines("a<dept 1..") == []
    assert lines("a<dept 5..", before=POOL.replace(" firm", "")) == []
    default = "koordinator-root-quota firm parent; dept 1.."
    assert lines("a<dept 50..", before=default) == []


def test_use_is_read_only_where_it_matters() -> None:
    forest = forests.forest(POOL)
    assert guaranteed_use.needs_use(changes.change(POOL, "a<dept 5.."), forest)
    assert not guaranteed_use.needs_use(changes.change(POOL, "a<dept 2..9"), forest)
    assert not guaranteed_use.needs_use(changes.removal(POOL, "a"), forest)
