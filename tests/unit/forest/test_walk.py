"""Amounts roll up to the root without any limit."""

import forests
from elasticquota import names
from elasticquota.forest import walk


def test_a_quota_holds_what_its_pods_and_its_children_hold() -> None:
    tree, _ = forests.default_tree("p 0..1; a<p ..1; b<p; c")
    own = {"a": {"device": 5}, "b": {"device": 2, "gpu": 1}, "p": {"device": 1}, "c": {"gpu": 1}}
    sums = walk.roll_up(tree, own)
    assert sums["p"] == {"device": 8, "gpu": 1}
    assert sums[names.ROOT_QUOTA] == {"device": 8, "gpu": 2}
    assert sums[names.DEFAULT_QUOTA] == {}
