"""Law: whoever asks for more, weighs more or shares in more never gets less for it.

Nor does anybody gain when somebody else asks for more. Koordinator's rounding breaks each of these
(algorithm reference 4), which shows as pods evicted because a node was added.
"""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

import arbitrary
from elasticquota.resources import Resources
from elasticquota.sharing import level, runtime
from elasticquota.sharing.level import Claim


def asking_one_more(claim: Claim) -> Claim:
    hi = claim.hi + 1
    return replace(claim, hi=hi, lo=min(hi, claim.min))


@given(arbitrary.levels())
def test_asking_for_more_never_lowers_mine_and_never_raises_anothers(
    given_level: arbitrary.Level,
) -> None:
    before = level.share(given_level.total, given_level.claims)
    fits = given_level.guaranteed <= given_level.total
    for place, claim in enumerate(given_level.claims):
        claims = list(given_level.claims)
        claims[place] = asking_one_more(claim)
        # Where more is guaranteed than there is, all is shared by another rule.
        if (sum(claim.lo for claim in claims) <= given_level.total) != fits:
            continue
        after = level.share(given_level.total, claims)
        assert after[place] >= before[place]
        assert all(after[i] <= before[i] for i in range(len(claims)) if i != place)


@given(arbitrary.levels())
def test_weighing_more_never_lowers_mine(given_level: arbitrary.Level) -> None:
    before = level.share(given_level.total, given_level.claims)
    for place, claim in enumerate(given_level.claims):
        claims = list(given_level.claims)
        claims[place] = replace(claim, weight=claim.weight + 1)
        assert level.share(given_level.total, claims)[place] >= before[place]


@given(arbitrary.levels())
def test_one_more_to_share_lowers_nobody(given_level: arbitrary.Level) -> None:
    before = level.share(given_level.total, given_level.claims)
    after = level.share(given_level.total + 1, given_level.claims)
    assert all(late >= early for early, late in zip(before, after, strict=True))


def more(amounts: Resources, key: str, by: int) -> Resources:
    return {**amounts, key: amounts.get(key, 0) + by}


@given(arbitrary.groves(weighted=True), st.sampled_from(arbitrary.RESOURCES), st.integers(1, 9))
def test_a_new_node_takes_nothing_from_any_quota_of_a_weighted_tree(
    grove: arbitrary.Grove, key: str, by: int
) -> None:
    tree, forest = grove.tree, grove.forest
    # Pods of a parent itself have no weight of their own: theirs grows with what is available.
    own = {name: asked for name, asked in grove.own.items() if not tree.children[name]}
    before = runtime.solve(tree, forest, own, grove.available)
    after = runtime.solve(tree, forest, own, more(grove.available, key, by))
    for name in tree.order:
        for resource, amount in before.quota[name].items():
            assert after.quota[name][resource] >= amount


@given(arbitrary.groves(), st.sampled_from(arbitrary.RESOURCES))
def test_asking_for_more_never_lowers_mine_in_a_tree(grove: arbitrary.Grove, key: str) -> None:
    tree, forest = grove.tree, grove.forest
    before = runtime.solve(tree, forest, grove.own, grove.available)
    for name, asked in grove.own.items():
        own = {**grove.own, name: more(asked, key, 1)}
        after = runtime.solve(tree, forest, own, grove.available)
        for resource, amount in before.quota[name].items():
            assert after.quota[name][resource] >= amount
