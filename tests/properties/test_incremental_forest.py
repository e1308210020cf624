"""Law: the forest after an edit is the forest that is built of all objects anew.

Whatever is stored and whatever is edited: verdicts with all their words, places, trees.
"""

import random
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

import effort
import forests
import quota_generator
from elasticquota import names
from elasticquota.forest import acceptance, incremental
from elasticquota.forest.settings import Terms, Where
from elasticquota.forest.structure import Forest
from elasticquota.model.key import Key
from elasticquota.model.quota import Quota


def edited(forest: Forest, stored: dict[Key, Quota], key: Key, new: Quota | None) -> Forest:
    """Make the edit and look at what became of it."""
    old = stored.pop(key, None)
    if new is not None:
        stored[key] = new
    grown = incremental.after(forest, old, new, stored.values())
    assert grown == acceptance.build(stored.values(), forest.terms)
    return grown


_TERMS = st.builds(
    Terms,
    sums_refused=st.builds(Where, st.booleans(), st.sampled_from([frozenset(), frozenset({""})])),
    default_tree_guarantees_use=st.booleans(),
)


@given(
    quota_generator.garbage(), quota_generator.garbage(), st.sets(st.sampled_from("abcd")), _TERMS
)
def test_any_edits_of_a_heap(
    heap: list[Quota], edits: list[Quota], gone: set[str], terms: Terms
) -> None:
    stored = {quota.key: quota for quota in heap}
    forest = acceptance.build(heap, terms)
    for quota in edits:
        forest = edited(forest, stored, quota.key, quota)
    for key in [key for key in stored if key.name in gone]:
        forest = edited(forest, stored, key, None)


@given(quota_generator.garbage(), _TERMS, st.data())
def test_other_amounts_in_a_heap(heap: list[Quota], terms: Terms, data: st.DataObject) -> None:
    stored = {quota.key: quota for quota in heap}
    forest = acceptance.build(heap, terms)
    for quota in heap:
        new = replace(
            quota,
            min=data.draw(quota_generator.wild_amounts()),
            observes=data.draw(st.sampled_from([None, True, False])),
            faults=data.draw(st.sampled_from([(), ("x",)])),
        )
        forest = edited(forest, stored, quota.key, new)


def test_a_consent_that_a_root_takes_back() -> None:
    stored = {quota.key: quota for quota in forests.quotas("blue root=blue; a<blue ns=x; b<a")}
    root = stored[Key("ns", "blue")]
    forest = acceptance.build(stored.values())
    forest = edited(forest, stored, root.key, replace(root, child_namespaces=()))
    assert not forest.accepted("a")


@effort.one_in(4)
@given(st.integers(0, 2**32))
def test_a_long_history_of_a_department(seed: int) -> None:
    """Three levels of quotas that nearly fit, so that verdicts change up and down the tree."""
    dice = random.Random(seed)
    stored: dict[Key, Quota] = {}
    forest = acceptance.build([], Terms(sums_refused=Where(usually=dice.random() < 0.7)))
    known = [""] + [f"q{number}" for number in range(12)]
    for turn in range(60):
        number = dice.randrange(1, len(known))
        key = Key(dice.choice("xxxy"), known[number])
        old = stored.get(key)
        new = None
        if old is not None and dice.random() < 0.6:
            new = replace(old, min={"cpu": dice.randint(-1, 40)})
        elif old is None:
            above = known[dice.randrange(number)] or names.ROOT_QUOTA
            new = Quota(
                key,
                uid=str(turn),
                created=str(turn // 5),
                parent=above,
                is_parent=dice.random() < 0.9,
                is_root=dice.random() < 0.05,
                tree_id=dice.choice(("", "", "", "blue")),
                min={"cpu": dice.randint(0, 40)},
            )
        forest = edited(forest, stored, key, new)
