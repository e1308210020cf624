"""Which waits keep a live event, and what is said of the owner of waiting pods."""

from collections import Counter
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elasticquota.model.decision import Wait
from elasticquota.model.key import Key
from elasticquota.reporting import waits
from elasticquota.reporting.waits import WaitSummary


def wait(name: str, place: int = 1, quota: str = "team-a", reason: str = "QuotaExhausted") -> Wait:
    return Wait(Key("team", name), f"uid-{name}", quota, reason, "why", place)  # type: ignore[arg-type]  # any text will do


def note(found: Iterable[Wait], pods: int) -> str:
    tally = WaitSummary()
    for each in found:
        tally.add(each)
    return tally.note(pods)


def test_an_owner_learns_how_many_pods_wait_for_which_quota_and_who_is_first() -> None:
    found = [wait("web-2", 5), wait("web-1", 3), wait("web-3", 9)]
    assert note(found, 14) == (
        "3 of 14 pods wait for quota team-a; "
        "first in line is pod web-1 at position 3 [QuotaExhausted]"
    )


@pytest.mark.parametrize(
    ("count", "pods", "head"),
    [
        (1, 14, "1 of 14 pods waits"),
        (1, 1, "1 of 1 pod waits"),
        (2, 2, "2 of 2 pods wait"),
        (2, 1, "2 of 2 pods wait"),  # the count of pods may be late
    ],
)
def test_one_pod_is_no_plural(count: int, pods: int, head: str) -> None:
    found = [wait(f"web-{number}", number + 1) for number in range(count)]
    assert note(found, pods).startswith(f"{head} for quota team-a; ")


def test_pods_of_several_quotas_are_counted_apart_the_larger_part_first() -> None:
    found = [wait("a", 2, "team-b"), wait("b", 4), wait("c", 1)]
    assert note(found, 3) == (
        "3 of 3 pods wait: 2 for quota team-a, first in line is pod c at position 1 "
        "[QuotaExhausted]; 1 for quota team-b, first in line is pod a at position 2 "
        "[QuotaExhausted]"
    )


def test_a_pod_outside_of_the_queue_has_no_position() -> None:
    assert note([wait("a", 0, reason="ExceedsMax")], 1) == (
        "1 of 1 pod waits for quota team-a; one of them is pod a [ExceedsMax]"
    )
    assert note([wait("a", 0, "", "NoNodeFits")], 2) == (
        "1 of 2 pods waits without a quota; one of them is pod a [NoNodeFits]"
    )


@pytest.mark.parametrize(
    ("place", "text"),
    [
        (10, "at position 10"),
        (11, "among the first 20"),
        (50, "among the first 50"),
        (51, "among the first 100"),
        (101, "behind position 100"),
    ],
)
def test_far_from_the_head_a_position_is_coarse(place: int, text: str) -> None:
    assert f"pod a {text} [" in note([wait("a", place)], 1)


@given(st.permutations([wait("a", 3), wait("b", 1), wait("c", 0), wait("d", 7, "team-b")]))
def test_the_order_of_waits_does_not_matter(found: list[Wait]) -> None:
    assert note(found, 9) == note(sorted(found, key=lambda each: each.uid), 9)
    assert [each.pod.name for each in waits.front(found)] == ["b", "a", "d", "c"]


@given(
    st.lists(st.sampled_from([wait("a", 3), wait("b", 1), wait("c", 0), wait("d", 7, "team-b")]))
)
def test_waits_that_were_counted_in_parts_are_the_same(found: list[Wait]) -> None:
    for cut in range(len(found)):
        parts = WaitSummary(), WaitSummary()
        for index, each in enumerate(found):
            parts[index >= cut].add(each)
        parts[0].extend(parts[1])
        assert parts[0].note(9) == note(found, 9)


def test_the_end_of_the_wait_is_said_too() -> None:
    assert waits.none(14) == "none of its 14 pods waits for quota any more"
    assert waits.none(1) == "none of its 1 pod waits for quota any more"


@given(st.lists(st.tuples(st.integers(0, 300), st.sampled_from(["a", "b", "c"])), max_size=300))
def test_each_quota_keeps_a_hundred_in_line_and_a_hundred_outside_at_most(
    drawn: list[tuple[int, str]],
) -> None:
    found = waits.front(
        wait(f"{quota}-{number}", place, quota) for number, (place, quota) in enumerate(drawn)
    )
    assert all(each.place <= waits.FRONT for each in found)
    outside = Counter(each.quota for each in found if not each.place)
    assert max(outside.values(), default=0) <= waits.FRONT
    places = [each.place or waits.FRONT + 1 for each in found]
    assert places == sorted(places)


def test_of_too_many_those_at_the_head_keep_their_events(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waits, "MOST", 3)
    found = [wait(f"{quota}-{place}", place, quota) for quota in "ab" for place in range(1, 9)]
    assert [each.pod.name for each in waits.front(found)] == ["a-1", "b-1", "a-2"]
