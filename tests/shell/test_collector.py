"""The collector of cycles looks seldom, and never at what was there at the first decision."""

import gc
from collections.abc import Iterator

import pytest

from elasticquota_operator import collector


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.unfreeze()
    gc.set_threshold(*before)


def test_it_hardly_looks_while_the_process_starts_and_seldom_from_then_on() -> None:
    collector.rest()
    assert gc.get_threshold()[0] == collector.STARTING
    collector.settle()
    assert gc.get_threshold()[0] == collector.NEW_OBJECTS < collector.STARTING


def test_what_is_there_is_not_looked_at_again_and_what_comes_later_is() -> None:
    kept = [[number] for number in range(1000)]
    collector.settle()
    assert gc.get_freeze_count() > len(kept)
    later: list[object] = []
    later.append(later)
    del later
    assert gc.collect() > 0
