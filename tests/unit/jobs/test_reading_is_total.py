"""Reading a job is total: any JSON value at any place gives a job, and every fault is one line."""

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import published_jobs
from elasticquota.jobs import job, suspension
from elasticquota.jobs.kinds import table


ADAPTERS = {each.kind: each for each in table.BUILT_IN}
Path = tuple[str | int, ...]

TEXTS = st.text(st.characters(codec="utf-8"), max_size=20) | st.sampled_from(
    [
        "cpu",
        "1",
        "-1",
        "1e9",
        "512m",
        "cpu: 1",
        "a: [b",
        "? [x] : y",
        "&a [*a]",
        "[" * 2000,
        "\x00\u202e",
    ]
)
NUMBERS = st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=8,
)


def places(value: Any, here: Path = ()) -> list[Path]:
    """The paths of everything inside a document."""
    steps = list(value) if isinstance(value, dict) else []
    steps = list(range(len(value))) if isinstance(value, list) else steps
    return [path for step in steps for path in ((*here, step), *places(value[step], (*here, step)))]


def replaced(document: Any, path: Path, value: Any) -> Any:
    changed = copy.deepcopy(document)
    target = changed
    for step in path[:-1]:
        target = target[step]
    target[path[-1]] = value
    return changed


def held_to(document: Any, kind: str) -> None:
    adapter = ADAPTERS[kind]
    found = job.read(document, adapter)
    assert job.read(document, adapter) == found
    assert found.state in ("Waiting", "Running", "Succeeded", "Failed")
    assert min([0, *found.request.values(), *found.minimum.values()]) == 0
    for each in found.pods:
        assert 0 <= each.least <= each.count
        assert each.request["pods"] >= 0
    assert len({each.name for each in found.pods}) == len(found.pods)
    for fault in map(str, found.faults):
        where, colon, text = fault.partition(": ")
        assert where
        assert colon
        assert text
        assert fault.isprintable()
    suspension.patch(document, adapter, True)


@pytest.mark.parametrize("number", range(len(published_jobs.ALL)))
@settings(deadline=None, max_examples=40)
@given(data=st.data(), value=JSON)
def test_any_value_at_any_place_gives_a_job(number: int, data: st.DataObject, value: Any) -> None:
    document = {**published_jobs.ALL[number], "status": {"succeeded": 1, "conditions": []}}
    path = data.draw(st.sampled_from(places(document)))
    held_to(replaced(document, path, value), document["kind"])


@pytest.mark.parametrize("kind", ADAPTERS)
@settings(deadline=None, max_examples=40)
@given(value=JSON)
def test_any_value_at_all_gives_a_job(kind: str, value: Any) -> None:
    held_to(value, kind)
