"""Law: no unit is lost and none is made up; shares stay within floor and request."""

from hypothesis import given

import arbitrary
from elasticquota.sharing import demand, level, runtime


@given(arbitrary.levels())
def test_a_level_hands_out_all_that_can_be_taken(given_level: arbitrary.Level) -> None:
    found = level.share(given_level.total, given_level.claims)
    assert sum(found) == min(given_level.total, given_level.takers)


@given(arbitrary.levels())
def test_a_share_lies_between_the_guarantee_and_the_request(given_level: arbitrary.Level) -> None:
    found = level.share(given_level.total, given_level.claims)
    fits = given_level.guaranteed <= given_level.total
    for share, claim in zip(found, given_level.claims, strict=True):
        assert (claim.lo if fits else 0) <= share <= (claim.hi if fits else claim.lo)


@given(arbitrary.groves(weighted=True))
def test_children_share_all_of_their_parents_runtime_that_they_ask_for(
    grove: arbitrary.Grove,
) -> None:
    tree, forest = grove.tree, grove.forest
    limited = demand.request(tree, forest, grove.own).limited
    found = runtime.solve(tree, forest, grove.own, grove.available)
    for parent in tree.order:
        children = tree.children[parent]
        for key, there_is in found.quota[parent].items():
            if not children:
                continue
            parts = [found.quota[child][key] for child in children]
            asked = [limited[child].get(key, 0) for child in children]
            if parent in found.own:
                parts.append(found.own[parent][key])
                asked.append(grove.own[parent].get(key, 0))
            assert sum(parts) == min(there_is, sum(asked))
