"""The garbage collector runs seldom, and never over the objects of the first decision."""

import gc
from collections.abc import Iterator

import pytest

from elasticquota_operator import gc_tuning


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.unfreeze()
    gc.set_threshold(*before)


def test_collections_are_rare_during_the_start_and_afterwards() -> None:
    gc_tuning.rest()
    assert gc.get_threshold()[0] == gc_tuning.STARTING
    gc_tuning.settle()
    assert gc.get_threshold()[0] == gc_tuning.NEW_OBJECTS < gc_tuning.STARTING


def test_objects_of_the_start_are_not_collected_and_later_ones_are() -> None:
    kept = [[number] for number in range(1000)]
    gc_tuning.settle()
    assert gc.get_freeze_count() > len(kept)
    later: list[object] = []
    later.append(later)
    del later
    assert gc.collect() > 0
