"""What a quota asks for, and how much of that reaches its parent."""

import forests
from elasticquota import names


def test_a_parent_asks_for_the_limited_requests_of_its_children() -> None:
    line = "p ..100; a<p ..10; b<p ..40"
    assert forests.requests(line, a=100, b=30) == {"p": 40, "a": 100, "b": 30}


def test_pods_of_a_parent_itself_count_too() -> None:
    assert forests.requests("p; a<p ..10", p=7, a=100) == {"p": 17, "a": 100}


def test_the_parents_own_max_cuts_at_the_next_level() -> None:
    tree, forest = forests.default_tree("p ..30; a<p ..50")
    found = forests.solved(tree, forest, forests.devices(a=80), {})
    assert found.request("p") == {"device": 50}
    assert found.limited_request("p") == {"device": 30}
    assert found.request(names.ROOT_QUOTA) == {"device": 30}


def test_max_zero_lets_nothing_through() -> None:
    assert forests.requests("p; a<p ..0; b<p ..9", a=5, b=2) == {"p": 2, "a": 5, "b": 2}


def test_a_quota_that_lends_nothing_asks_for_its_min_at_least() -> None:
    line = "p 20..40; a<p 10..40 keep; b<p 5..40"
    assert forests.requests(line, b=2) == {"p": 12, "a": 10, "b": 2}
    assert forests.requests(line, a=25) == {"p": 25, "a": 25, "b": 0}


def test_a_refused_quota_that_lends_nothing_asks_for_no_min() -> None:
    assert forests.requests("a 10..40 keep bad") == {"a": 0}


def test_a_resource_without_max_is_not_cut() -> None:
    tree, forest = forests.default_tree("a ..10")
    found = forests.solved(tree, forest, {"a": {"gpu": 8, "device": 12}}, {})
    assert found.limited_request("a") == {"gpu": 8, "device": 10}


def test_negative_requests_count_as_none() -> None:
    assert forests.requests("p; a<p; b<p", a=-5, b=3) == {"p": 3, "a": 0, "b": 3}


def blue(line: str, **own: int) -> dict[str, int]:
    """What the root of the tree blue asks for."""
    forest = forests.forest(line)
    found = forests.solved(forest.trees["blue"], forest, forests.devices(**own), {})
    return found.request("top")


def test_a_childless_root_asks_for_what_its_own_pods_ask_for() -> None:
    assert blue("top root=blue 4..9", top=12) == {"device": 12}
    assert blue("top root=blue 4..9", top=3) == {"device": 3}
    assert blue("top root=blue 4..9") == {}


def test_a_root_that_lends_nothing_asks_for_its_min_at_least() -> None:
    for line in ("top root=blue 10.. keep", "top root=blue 10.. keep; a<top"):
        assert blue(line, top=3) == {"device": 10}
        assert blue(line, top=30) == {"device": 30}
