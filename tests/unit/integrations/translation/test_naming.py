"""A quota's name is its path; clashes, long and odd names get a hash."""

import pytest

from elasticquota import names
from elasticquota.integrations.translation import naming
from elasticquota.integrations.translation.translation import Path


def named(*paths: Path) -> dict[Path, str]:
    plain = {path: naming.label("-".join(path)) for path in paths}
    return {**plain, **naming.hashed(plain)}


def test_a_name_is_the_path_joined_in_letters_that_a_label_has() -> None:
    for path, name in (
        (("root", "algorithm", "video"), "root-algorithm-video"),
        (("root", "Team_A@example.com"), "root-team-a-example-com"),
    ):
        assert named(path) == {path: name}


def test_two_paths_that_read_alike_both_get_a_hash_in_any_order() -> None:
    first, second = ("root", "a-b"), ("root", "a", "b")
    found = named(first, second)
    assert found == named(second, first)
    assert len({*found.values()}) == 2
    assert all(name.startswith("root-a-b-") for name in found.values())


@pytest.mark.parametrize(
    ("path", "start"),
    [
        pytest.param(("root", "x" * 80), "root-xxx", id="a long name is cut"),
        pytest.param(("算法",), "quota-", id="nothing but odd letters"),
        pytest.param((names.DEFAULT_QUOTA,), f"{names.DEFAULT_QUOTA}-", id="a reserved name"),
    ],
)
def test_what_is_no_free_name_gets_a_hash(path: Path, start: str) -> None:
    name = named(path)[path]
    assert name.startswith(start)
    assert naming.is_hashed(name)
    assert len(name) <= naming.LONGEST


def test_a_hashed_name_that_is_taken_already_makes_that_one_hashed_too() -> None:
    clash = [("a", "b"), ("a-b",)]
    taken = (named(*clash)["a", "b"],)
    found = named(*clash, taken)
    assert len({*found.values()}) == 3


def test_a_quota_with_the_hash_of_its_path_keeps_its_name_whatever_others_are_called() -> None:
    path = ("root", "a", "b")
    name = naming.own(path)
    found = naming.hashed({path: name, ("root", "c"): name})
    assert found[path] == name
    assert found["root", "c"] != name
    assert naming.is_hashed(name)
    assert not naming.is_hashed("root-a-b")
