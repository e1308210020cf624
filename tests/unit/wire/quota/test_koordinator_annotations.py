"""Koordinator's annotations: its names, its JSON, and only what differs."""

import pytest

import writer_fixture
from elasticquota import names
from elasticquota.model.key import Key
from elasticquota.wire.quota import koordinator_annotations


AMOUNTS = {"cpu": 1500, "memory": 2 * 1024**3}
TEXT = '{"cpu":"1500m","memory":"2Gi"}'
STATUS = writer_fixture.with_all_figures(Key("team", "a"), AMOUNTS)
SEVEN = dict.fromkeys(
    (
        f"quota.scheduling.koordinator.sh/{name}"
        for name in (
            "runtime",
            "request",
            "child-request",
            "guaranteed",
            "allocated",
            "non-preemptible-request",
            "non-preemptible-used",
        )
    ),
    TEXT,
)


def test_all_seven_are_written_where_there_is_none() -> None:
    assert koordinator_annotations.difference(STATUS, {}) == SEVEN


def test_the_same_is_not_written_again_and_others_annotations_play_no_part() -> None:
    assert koordinator_annotations.difference(STATUS, {**SEVEN, "note": "hello"}) == {}


def test_each_figure_has_its_own_annotation() -> None:
    fields = {
        "runtime": names.RUNTIME,
        "request": names.REQUEST,
        "child_request": names.CHILD_REQUEST,
        "guaranteed": names.GUARANTEED,
        "allocated": names.ALLOCATED,
        "non_preemptible_request": names.NON_PREEMPTIBLE_REQUEST,
        "non_preemptible_used": names.NON_PREEMPTIBLE_USED,
    }
    for field, annotation in fields.items():
        status = writer_fixture.status(Key("team", "a"), **{field: {"cpu": 1000}})
        assert koordinator_annotations.difference(status, {}) == {annotation: '{"cpu":"1"}'}


@pytest.mark.parametrize(
    "same", ['{"memory": "2048Mi", "cpu": 1.5}', '{"cpu":"1500m","memory":"2Gi","pods":"0"}']
)
def test_equal_amounts_in_other_words_are_left_alone(same: str) -> None:
    assert koordinator_annotations.difference(STATUS, {**SEVEN, names.RUNTIME: same}) == {}


@pytest.mark.parametrize(
    "forged",
    ['{"cpu":"99"}', "", "{", "[]", '{"cpu":"x"}', f'{TEXT[:-1]},"gpu":"x"}}'],
)
def test_what_is_forged_or_unreadable_is_written_over(forged: str) -> None:
    stored = {**SEVEN, names.RUNTIME: forged}
    assert koordinator_annotations.difference(STATUS, stored) == {names.RUNTIME: TEXT}


def test_nothing_is_not_written_but_takes_the_place_of_something() -> None:
    idle = writer_fixture.status(Key("team", "a"), runtime={"cpu": 0})
    assert koordinator_annotations.difference(idle, {}) == {}
    assert koordinator_annotations.difference(idle, SEVEN) == {
        **dict.fromkeys(SEVEN, "{}"),
        names.RUNTIME: '{"cpu":"0"}',
    }
