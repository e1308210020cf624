"""Law: the shares that an edit summary computes from published figures are those of the tree.

``forecast.edit_shares`` computes only the part of the tree around the edited quota. With figures of
one moment it finds exactly the changes that two full computations differ by.
"""

from hypothesis import assume, given
from hypothesis import strategies as st

import tree_generator
from elasticquota.forecast import edit_shares
from elasticquota.model.quota import Figures
from tree_generator import TreeCase


def published(case: TreeCase) -> dict[str, Figures]:
    """What the controller publishes of the tree when all that is asked is admitted."""
    request = case.demand().request
    asked = {
        name: case._solved.child_request(name, case.own.get(name, {})) for name in case.tree.order
    }
    return {
        name: Figures(request=request[name], runtime=runtime, admitted=asked[name])
        for name, runtime in case.runtimes().items()
    }


@given(
    tree_generator.tree_cases(),
    st.data(),
    st.sampled_from(("min", "max")),
    st.integers(-9, 9),
)
def test_the_part_of_the_tree_gives_the_changes_of_the_whole_tree(
    case: TreeCase, data: st.DataObject, side: str, by: int
) -> None:
    old = data.draw(st.sampled_from(case.quotas))
    key = data.draw(st.sampled_from(sorted(old.max) or tree_generator.RESOURCES))
    amounts = dict(getattr(old, side))
    amounts[key] = max(0, amounts.get(key, 0) + by)
    edited = case.with_quota(old.name, **{side: amounts})
    new = edited.forest.quotas[old.name]
    assume(case.verdicts() == edited.verdicts() and edit_shares.keys(old, new))
    needed = edit_shares.concerned(old, new, case.forest)
    assume(needed)
    found = edit_shares.changes(old, new, case.forest, published(case))
    below = {old.name, *(name for name in needed if name not in case.forest.path(old.name))}
    before, after = case.runtimes(), edited.runtimes()
    assert {each[:4] for each in found} == {
        (name, key, before[name][key], after[name][key])
        for name in below
        if key in case.runtimes()[case.tree.root] and before[name][key] != after[name][key]
    }
