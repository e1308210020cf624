"""Arbitrary edits of quotas, and a store that keeps those that the rules permit.

The store is the API server with one replica of the webhook before it: every edit is defaulted,
judged against what is stored, and stored at once. From the start it has the tree ``blue``, as the
controller wrote it, with two departments. Users write no roots: a policy prevents that (EQ1108).
"""

import random
from collections.abc import Iterable
from dataclasses import dataclass

from hypothesis import strategies as st

import forests
from elasticquota import names
from elasticquota.forest import acceptance
from elasticquota.forest.structure import Forest
from elasticquota.model.key import Key
from elasticquota.model.quota import Quota
from elasticquota.structs import replace
from elasticquota.validation import chains
from elasticquota.validation.change import Change
from elasticquota.validation.severity import USUAL, Findings, Validation


START = tuple(forests.quotas("pool 40.. root=blue; dept<pool 6..9; sub<dept 2..8 parent"))
_NAMES = (*("dept", "sub", "a", "b") * 3, "pool", names.DEFAULT_QUOTA)
_PARENTS = (*("dept", "dept", "sub", "pool") * 3, "a", "ghost", names.ROOT_QUOTA)


@dataclass(frozen=True)
class Edit:
    """Write ``quota``, or remove the one with its key."""

    quota: Quota
    removes: bool = False


def sequences(most: int) -> st.SearchStrategy[list[Edit]]:
    """Edits that grow from one number; a shorter sequence of the same number is its beginning."""
    return st.builds(
        lambda number, count: grown(random.Random(number), count),
        st.integers(0, 2**32),
        st.integers(0, most),
    )


def grown(dice: random.Random, count: int) -> list[Edit]:
    """Mostly writes, now and then a removal."""
    return [Edit(_quota(dice), _rarely(dice)) for _ in range(count)]


def _quota(dice: random.Random) -> Quota:
    """A quota that the schema allows; values that usually fit are likely."""
    name = dice.choice(_NAMES)
    keys = ("device", "gpu") if _rarely(dice) else ("device",)
    return Quota(
        key=Key("other" if _rarely(dice) else "ns", name),
        uid=f"uid-{dice.randrange(100):02}",
        created="",
        parent=dice.choice(_PARENTS),
        is_parent=(name in ("dept", "sub")) is not _rarely(dice),
        tree_id=dice.choice(("blue", "red")) if _rarely(dice) else "",
        min={key: dice.randint(0, 6) for key in keys},
        max={} if _rarely(dice) else {key: dice.randint(6, 9) for key in keys},
        namespaces=("x",) if _rarely(dice) else (),
    )


def _rarely(dice: random.Random) -> bool:
    return dice.random() < 0.1


class Store:
    """The stored quotas, and the findings about the last edit."""

    def __init__(self, validation: Validation = USUAL, stored: Iterable[Quota] = START) -> None:
        self.quotas = {quota.key: quota for quota in stored}
        self._validation = validation

    def forest(self) -> Forest:
        return acceptance.build(self.quotas.values())

    def change(self, edit: Edit) -> Change | None:
        """The change that the API server asks the webhook about; None when the edit changes
        nothing.
        """
        old = self.quotas.get(edit.quota.key)
        if edit.removes:
            return None if old is None else Change(old, None)
        if old is None:
            return Change(None, replace(edit.quota, created=f"2026-01-01T{len(self.quotas):04}Z"))
        return Change(old, replace(edit.quota, uid=old.uid, created=old.created))

    def judge(self, change: Change) -> Findings:
        return chains.judge(change, self.forest(), self._validation)

    def apply(self, change: Change) -> None:
        """Store it without asking."""
        if change.new is None:
            del self.quotas[change.quota.key]
        else:
            self.quotas[change.quota.key] = change.new

    def ask(self, edit: Edit) -> bool:
        """Store it if the rules permit it."""
        change = self.change(edit)
        if change is None or self.judge(change).refused:
            return False
        self.apply(change)
        return True
