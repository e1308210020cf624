"""The runner passes nothing over: files that it does not understand, and answers that are wrong."""

import copy
import json
import pathlib
import subprocess
import sys
from typing import Any

import pytest

from tests.vectors import reading, runner
from tests.vectors.reading import Row


ROOT = pathlib.Path(__file__).parents[2]
LEVEL: dict[str, Any] = {
    "id": "mine-1",
    "total": 10,
    "nodes": [
        {
            "name": "a",
            "shared_weight": 1,
            "request": 20,
            "min": 0,
            "guarantee": 0,
            "allow_lent": True,
        }
    ],
    "expected_runtime": {"a": 10},
}


def level(**said: Any) -> dict[str, Any]:
    return {**copy.deepcopy(LEVEL), **said}


def file_of(group: str = "redistribution", table: str = "vectors", **said: Any) -> dict[str, Any]:
    return {"groups": {group: {table: [level(**said)]}}}


def row_of(**said: Any) -> Row:
    (row,) = reading.parse(file_of(**said)).rows
    return row


def written(group: str, table: str, **said: Any) -> Row:
    return Row(group, table, "mine-1", said)


def test_a_good_row_agrees_and_a_wrong_one_does_not() -> None:
    assert runner.differing(row_of()) == []
    differing = runner.differing(row_of(expected_runtime={"a": 12}))
    assert [str(figure) for figure in differing] == ["runtime a is 10, expected 12"]


def test_rounding_has_room_for_less_than_two_units() -> None:
    assert runner.differing(row_of(expected_runtime={"a": 11})) == []
    assert runner.differing(row_of(expected_runtime={"a": 8})) != []


MISUNDERSTOOD: dict[str, tuple[Row, str]] = {
    "a field": (row_of(colour="blue"), "the runner does not understand mine-1.colour"),
    "a field of a part": (
        row_of(nodes=[{**LEVEL["nodes"][0], "burst": 3}]),
        "the runner does not understand mine-1.nodes[0].burst",
    ),
    "a field that is missing": (
        Row("redistribution", "vectors", "mine-1", {"id": "mine-1", "nodes": [], "total": 1}),
        "mine-1 lacks the field 'expected_runtime'",
    ),
    "a group": (
        written("colours", "vectors"),
        "mine-1: the runner does not understand the table 'vectors' of group 'colours'",
    ),
    "a side table": (
        written("profile", "colours"),
        "mine-1: the runner does not understand the table 'colours' of group 'profile'",
    ),
    "an operation": (
        written("webhook_sequences", "vectors", ops=[{"op": "paint", "allowed": True}]),
        "mine-1.ops[0]: 'paint' is no operation",
    ),
    "a change": (
        written(
            "webhook_sequences",
            "vectors",
            ops=[
                {"op": "create", "name": "q", "allowed": True},
                {"op": "update", "name": "q", "change": {"colour": "blue"}, "allowed": True},
            ],
        ),
        "mine-1.ops[1].change: 'colour' is nothing to change",
    ),
    "a step": (
        written("webhook_min_sum", "vectors", parent="T", steps=[["half of it", True]]),
        "mine-1.steps: 'half of it' is no step",
    ),
    "an amount": (
        written("limited_request", "vectors", max={"cpu": "many"}, request={}, expected={}),
        "mine-1.max is no resource list: cpu: 'many' is not a quantity; write a number with "
        "an optional suffix like 500m, 2, 1.5, 64k or 16Gi",
    ),
    "another ground": (
        Row("affinity", "vectors", "mine-1", {"id": "mine-1"}, schema="profileA selects nothing"),
        "the schema of group 'affinity' describes another ground",
    ),
}


@pytest.mark.parametrize(("odd", "sentence"), MISUNDERSTOOD.values(), ids=MISUNDERSTOOD)
def test_what_is_not_understood_is_said(odd: Row, sentence: str) -> None:
    with pytest.raises(reading.ReadingError) as error:
        runner.figures(odd)
    assert str(error.value) == sentence


BROKEN_FILES: dict[str, tuple[dict[str, Any], str]] = {
    "a field of the file": (
        {**file_of(), "colour": "blue"},
        "the file has the field 'colour', which the runner does not understand",
    ),
    "another version": ({**file_of(), "schema_version": 2}, "schema_version must be 1, got 2"),
    "a group that is a list": (
        {"groups": {"tree": []}},
        "group 'tree' must be an object of tables",
    ),
    "an empty table": (
        {"groups": {"tree": {"vectors": []}}},
        "group 'tree': 'vectors' must be a list of rows, and not empty",
    ),
    "a row without id": (
        {"groups": {"tree": {"vectors": [{"total": {}}]}}},
        "group 'tree': vectors[0] must be an object with an id",
    ),
    "an id twice": (
        {"groups": {"redistribution": {"vectors": [level(), level()]}}},
        "the id 'mine-1' is there twice",
    ),
    "a core id of no row": ({**file_of(), "core_ids": ["x"]}, "core id 'x' has no row"),
}


@pytest.mark.parametrize(("document", "sentence"), BROKEN_FILES.values(), ids=BROKEN_FILES)
def test_what_is_wrong_with_a_file_is_said(document: dict[str, Any], sentence: str) -> None:
    assert reading.parse(document).faults == (sentence,)


def test_another_file_runs_with_the_same_runner(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(file_of()), "utf-8")
    assert "2 passed" in run(path)
    wrong = level(expected_runtime={"a": 7})
    document = {"groups": {"redistribution": {"vectors": [wrong]}, "colours": {"all": [level()]}}}
    path.write_text(json.dumps(document), "utf-8")
    printed = run(path)
    assert "mine-1: runtime a is 10, expected 7" in printed
    assert "the runner does not understand the table 'all' of group 'colours'" in printed


def test_what_is_no_file_of_vectors_is_said(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "mine.json"
    with pytest.raises(reading.ReadingError, match="cannot be read: No such file or directory"):
        reading.read(path)
    for text, fault in (("{", "is no JSON"), ("[]", "must be an object with the field 'groups'")):
        path.write_text(text, "utf-8")
        with pytest.raises(reading.ReadingError, match=fault):
            reading.read(path)


def run(path: pathlib.Path) -> str:
    """What a run of the two tests that are about the file prints."""
    tests = "test_nothing_in_the_file_is_passed_over or test_a_row_comes_out_as_expected"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", tests]
    done = subprocess.run(
        [*command, "tests/vectors/test_koordinator.py", "--vectors", str(path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr
