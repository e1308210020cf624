"""Reading a job is total: any JSON value at any place gives a job, and every fault is one line."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import json_values
import published_jobs
from elasticquota.jobs import job, suspension
from elasticquota.jobs.kinds import table


ADAPTERS = {each.kind: each for each in table.BUILT_IN}


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
        assert all(fault.partition(": "))
        assert fault.isprintable()
    suspension.patch(document, adapter, True)


@pytest.mark.parametrize("number", range(len(published_jobs.ALL)))
@settings(deadline=None, max_examples=40)
@given(data=st.data(), value=json_values.JSON)
def test_any_value_at_any_place_gives_a_job(number: int, data: st.DataObject, value: Any) -> None:
    document = {**published_jobs.ALL[number], "status": {"succeeded": 1, "conditions": []}}
    path = data.draw(st.sampled_from(json_values.places(document)))
    held_to(json_values.replaced(document, path, value), document["kind"])


@pytest.mark.parametrize("kind", ADAPTERS)
@settings(deadline=None, max_examples=40)
@given(value=json_values.JSON)
def test_any_value_at_all_gives_a_job(kind: str, value: Any) -> None:
    held_to(value, kind)
