"""Real reviews with a part missing, of another type, or twice: answered or refused, never a fault.

The API server sent these reviews; the changes are drawn at random in each run.
"""

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
import structlog.testing
from hypothesis import given, settings
from hypothesis import strategies as st

from review_trials import RECORDED, Trials


ODD: st.SearchStrategy[Any] = st.sampled_from(
    (
        None,
        True,
        0,
        -1,
        2**70,
        1.5,
        "",
        "x",
        "\0",
        "-1",
        "1e999",
        [],
        [None],
        {},
        {"": None},
        [[{}]],
    )
).map(copy.deepcopy)  # a test may change what is put into a review


@pytest.fixture(scope="module")
def trials() -> Iterator[Trials]:
    made = Trials()
    with structlog.testing.capture_logs():
        yield made
    made.close()


def places(document: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Paths to every part of a document."""
    items: Any = ()
    if isinstance(document, dict):
        items = document.items()
    elif isinstance(document, list):
        items = enumerate(document)
    for key, value in items:
        yield (*above, key)
        yield from places(value, (*above, key))


PLACES = {name: sorted(places(each["review"]), key=str) for name, each in RECORDED.items()}


@pytest.mark.parametrize("name", RECORDED)
def test_a_recorded_review_is_answered(trials: Trials, name: str) -> None:
    recorded = RECORDED[name]
    trials.one(recorded["path"], json.dumps(recorded["review"]).encode())


@pytest.mark.parametrize("name", RECORDED)
def test_a_review_without_one_of_its_parts(trials: Trials, name: str) -> None:
    recorded = RECORDED[name]
    for place in PLACES[name]:
        changed = copy.deepcopy(recorded["review"])
        del parent(changed, place)[place[-1]]
        trials.one(recorded["path"], json.dumps(changed).encode())


@settings(deadline=None, max_examples=300)
@given(st.sampled_from(sorted(RECORDED)), st.data())
def test_a_review_with_parts_of_other_types(trials: Trials, name: str, data: st.DataObject) -> None:
    recorded = RECORDED[name]
    changed = copy.deepcopy(recorded["review"])
    for place in data.draw(st.lists(st.sampled_from(PLACES[name]), min_size=1, max_size=3)):
        try:
            parent(changed, place)[place[-1]] = data.draw(ODD)
        except (KeyError, IndexError, TypeError):
            continue  # an earlier change removed the place
    trials.one(data.draw(st.sampled_from(trials.paths)), json.dumps(changed).encode())


@settings(deadline=None, max_examples=200)
@given(st.sampled_from(sorted(RECORDED)), st.data())
def test_a_review_with_a_duplicate_key(trials: Trials, name: str, data: st.DataObject) -> None:
    recorded = RECORDED[name]
    keys = [place for place in PLACES[name] if isinstance(place[-1], str)]
    place = data.draw(st.sampled_from(keys))
    changed = copy.deepcopy(recorded["review"])
    value = parent(changed, place).pop(place[-1])
    parent(changed, place)["HERE"] = 0
    key = json.dumps(place[-1])
    twice = f"{key}: {json.dumps(value)}, {key}: {json.dumps(data.draw(ODD))}"
    trials.one(recorded["path"], json.dumps(changed).replace('"HERE": 0', twice).encode())


def parent(document: Any, place: tuple[Any, ...]) -> Any:
    for key in place[:-1]:
        document = document[key]
    return document
