"""Law: a guarantee that can be kept is kept, at every quota of the tree (semantics 4).

When the mins of the first level fit the total (verdicts see to it that children's fit their
parent's) and no max is below its min, nobody gets less than min(limited request, min).
"""

from hypothesis import given

import arbitrary
from elasticquota.forest.structure import Forest, Tree
from elasticquota.resources import Resources
from elasticquota.sharing import demand, runtime


def enough(tree: Tree, forest: Forest, at_least: Resources) -> dict[str, int]:
    """``at_least``, or more where the mins of the first level need it."""
    top = [forest.effective_min(name) for name in tree.children[tree.root]]
    return {
        key: max(at_least.get(key, 0), sum(held.get(key, 0) for held in top))
        for key in arbitrary.RESOURCES
    }


@given(arbitrary.groves())
def test_nobody_gets_less_than_its_guarantee(grove: arbitrary.Grove) -> None:
    tree, forest = grove.tree, grove.forest
    limited = demand.request(tree, forest, grove.own).limited
    found = runtime.solve(tree, forest, grove.own, enough(tree, forest, grove.available))
    for name in tree.order[1:]:
        for key, held in forest.effective_min(name).items():
            assert found.quota[name][key] >= min(limited[name].get(key, 0), held)
