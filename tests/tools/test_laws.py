"""The laws are run with new seeds, and a failure is printed with the command that repeats it."""

import itertools

from laws.__main__ import repeated, seeds
from laws.kinds import KINDS


def test_each_kind_gets_a_new_seed_in_turn() -> None:
    numbers = itertools.count()
    two = (KINDS[0], KINDS[0]._replace(name="other"))
    found = list(itertools.islice(seeds(two, lambda: next(numbers)), 3))
    assert [(kind.name, seed) for kind, seed in found] == [
        ("tests/properties", 0),
        ("other", 1),
        ("tests/properties", 2),
    ]


def test_the_command_that_repeats_a_failure_names_the_law_and_the_seed() -> None:
    output = "..F\nFAILED tests/properties/test_a.py::test_b[max] - assert 1 == 2\n1 failed in 3s\n"
    assert repeated(KINDS[0], 7, output) == (
        ".venv/bin/python -m pytest -q -x -p no:cacheprovider --hypothesis-seed=7 "
        "'tests/properties/test_a.py::test_b[max]'"
    )


def test_a_failure_that_names_no_law_is_repeated_as_a_whole() -> None:
    assert repeated(KINDS[0], 7, "no tests ran\n").endswith("-n auto tests/properties")


def test_a_small_world_that_fails_is_repeated_alone_step_by_step() -> None:
    worlds = next(kind for kind in KINDS if kind.name == "small-worlds")
    output = (
        "P4: a quota within its min loses a pod\nto see it: python -m small_worlds --only 9 -v\n"
    )
    assert repeated(worlds, 7, output) == (
        "PYTHONPATH=operator:tests/support/generators .venv/bin/python -m small_worlds --only 9 -v"
    )


def test_small_worlds_begin_at_the_seed() -> None:
    worlds = next(kind for kind in KINDS if kind.name == "small-worlds")
    assert worlds.command(7, [])[:4] == ["-m", "small_worlds", "--start", "7"]
