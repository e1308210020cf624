"""A quota's name is its path; clashes, long and odd names get a hash."""

from elasticquota import names
from elasticquota.integrations.translation import naming
from elasticquota.integrations.translation.translation import Path


def named(*paths: Path) -> dict[Path, str]:
    plain = {path: naming.label("-".join(path)) for path in paths}
    return {**plain, **naming.hashed(plain)}


def test_a_name_is_the_path_joined() -> None:
    assert named(("root", "algorithm", "video")) == {
        ("root", "algorithm", "video"): "root-algorithm-video"
    }


def test_two_paths_that_read_alike_both_get_a_hash_in_any_order() -> None:
    first, second = ("root", "a-b"), ("root", "a", "b")
    found = named(first, second)
    assert found == named(second, first)
    assert len({*found.values()}) == 2
    assert all(name.startswith("root-a-b-") for name in found.values())


def test_letters_that_no_label_has_are_dashes() -> None:
    assert named(("root", "Team_A@example.com")) == {
        ("root", "Team_A@example.com"): "root-team-a-example-com"
    }


def test_a_long_name_is_cut_and_hashed() -> None:
    name = named(("root", "x" * 80))["root", "x" * 80]
    assert len(name) == naming.LONGEST
    assert name.startswith("root-xxx")


def test_a_name_of_nothing_but_odd_letters_is_a_hash() -> None:
    assert named(("算法",))[("算法",)].startswith("quota-")


def test_reserved_names_are_taken() -> None:
    path = (names.DEFAULT_QUOTA,)
    assert named(path)[path].startswith(f"{names.DEFAULT_QUOTA}-")


def test_a_hashed_name_that_somebody_has_already_makes_that_one_hashed_too() -> None:
    clash = [("a", "b"), ("a-b",)]
    taken = (named(*clash)["a", "b"],)
    found = named(*clash, taken)
    assert len({*found.values()}) == 3


def test_who_has_the_hash_of_its_path_keeps_its_name_whoever_is_called_so() -> None:
    path = ("root", "a", "b")
    name = naming.own(path)
    found = naming.hashed({path: name, ("root", "c"): name})
    assert found[path] == name
    assert found["root", "c"] != name
    assert naming.is_hashed(name)
    assert not naming.is_hashed("root-a-b")
