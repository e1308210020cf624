"""Law: the forest after an edit equals the forest that is built again from all objects.

This holds for any stored objects and any edit: verdicts with their messages, paths, trees.
"""

import random
from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

import effort
import forests
import quota_generator
from elasticquota import names
from elasticquota.forest import acceptance, settings
from elasticquota.forest.affected import Affected
from elasticquota.forest.incremental import IncrementalForest
from elasticquota.forest.settings import SharingTerms, TreeSelection
from elasticquota.forest.structure import Forest
from elasticquota.model.fault import Fault
from elasticquota.model.key import Key
from elasticquota.model.quota import Quota
from elasticquota.structs import replace


class Edited:
    """An incremental forest that is compared with a rebuilt one after each edit."""

    def __init__(self, quotas: Iterable[Quota], terms: SharingTerms = settings.USUAL) -> None:
        self.stored = {quota.key: quota for quota in quotas}
        self._terms = terms
        self._followed = IncrementalForest(terms, self.stored.values())

    @property
    def forest(self) -> Forest:
        return self._followed.forest

    def edit(self, key: Key, new: Quota | None) -> Affected | None:
        self.stored.pop(key, None)
        if new is not None:
            self.stored[key] = new
        before = self.forest
        found = self._followed.update({key: new})
        assert self.forest == acceptance.build(self.stored.values(), self._terms)
        if found is not None:
            assert judged_otherwise(before, self.forest) <= found.changed
        return found


def judged_otherwise(before: Forest, now: Forest) -> set[str]:
    return {
        key.name for key, verdict in now.verdicts.items() if before.verdicts.get(key) != verdict
    }


_TERMS = st.builds(
    SharingTerms,
    sums_refused=st.builds(
        TreeSelection, st.booleans(), st.sampled_from([frozenset(), frozenset({""})])
    ),
    default_tree_guarantees_use=st.booleans(),
)


@given(
    quota_generator.garbage(), quota_generator.garbage(), st.sets(st.sampled_from("abcd")), _TERMS
)
def test_any_edits_of_arbitrary_quotas(
    objects: list[Quota], edits: list[Quota], gone: set[str], terms: SharingTerms
) -> None:
    edited = Edited(objects, terms)
    for quota in edits:
        edited.edit(quota.key, quota)
    for key in [key for key in edited.stored if key.name in gone]:
        edited.edit(key, None)


@given(quota_generator.garbage(), _TERMS, st.data())
def test_other_amounts_in_arbitrary_quotas(
    objects: list[Quota], terms: SharingTerms, data: st.DataObject
) -> None:
    edited = Edited(objects, terms)
    for quota in objects:
        new = replace(
            quota,
            min=data.draw(quota_generator.wild_amounts()),
            observes=data.draw(st.sampled_from([None, True, False])),
            faults=data.draw(st.sampled_from([(), (Fault("", "x"),)])),
        )
        edited.edit(quota.key, new)


def test_a_root_that_revokes_its_consent() -> None:
    edited = Edited(forests.quotas("blue root=blue; a<blue ns=x; b<a"))
    root = edited.stored[Key("ns", "blue")]
    edited.edit(root.key, replace(root, child_namespaces=()))
    assert not edited.forest.accepted("a")


@effort.one_in(4)
@given(st.integers(0, 2**32))
def test_a_long_history_of_a_department(seed: int) -> None:
    """Three levels of quotas that nearly fit, so that verdicts change up and down the tree."""
    dice = random.Random(seed)
    edited = Edited([], SharingTerms(sums_refused=TreeSelection(usually=dice.random() < 0.7)))
    known = [""] + [f"q{number}" for number in range(12)]
    for turn in range(60):
        number = dice.randrange(1, len(known))
        key = Key(dice.choice("xxxy"), known[number])
        old = edited.stored.get(key)
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
        edited.edit(key, new)
