"""A forest follows its quotas edit by edit, at the cost of the edits; it equals a full build.

Two kinds of edits are frequent and are followed where they act:

* Other amounts in a quota that keeps its place. Verdicts change among its siblings and children,
  and further down only below a quota that is accepted now and was not, or the reverse.
* A quota that comes or goes and that no quota names as its parent. Its tree gets one quota more or
  less.

Any other edit (a name held twice, another parent, a new root, a reserved name) may move quotas that
were not edited, so the forest is built again as a whole, as it is after many edits at once.
"""

from collections import deque
from collections.abc import Iterable, Mapping
from typing import Final

from elasticquota import names
from elasticquota.forest import acceptance, affected, guarantee, position
from elasticquota.forest.affected import Affected
from elasticquota.forest.settings import SharingTerms
from elasticquota.forest.structure import Forest
from elasticquota.model.key import Key
from elasticquota.model.quota import Quota
from elasticquota.model.verdict import ACCEPTED, Verdict
from elasticquota.structs import replace


ONE_BY_ONE: Final = 16
"""The most edited quotas to follow one by one; for more, the forest is built again."""


class IncrementalForest:
    """The forest of quotas that change; ``forest`` is an immutable value, replaced by ``update``.

    The controller's books and the webhook's caches follow their quotas with it.
    """

    def __init__(self, terms: SharingTerms, quotas: Iterable[Quota] = ()) -> None:
        self._quotas = {quota.key: quota for quota in quotas}
        self.forest = acceptance.build(self._quotas.values(), terms)

    def update(self, changes: Mapping[Key, Quota | None]) -> Affected | None:
        """Store what these quotas are now (None: gone); return what that affects, None for all."""
        edits: dict[Key, affected.Edit] = {}
        for key, new in changes.items():
            old = self._quotas.pop(key, None)
            if new is not None:
                self._quotas[key] = new
            if new != old and not self._follow_total(old, new):
                edits[key] = (old, new)
        if len(edits) <= ONE_BY_ONE and len({key.name for key in edits}) == len(edits):
            followed = _Edited(self.forest)
            if all(followed.follow(old, new) for old, new in edits.values()):
                self.forest = followed.forest
                by_name = {key.name: edit for key, edit in edits.items()}
                return affected.of(by_name, followed.judged, self.forest)
        self.forest = acceptance.build(self._quotas.values(), self.forest.terms)
        return None

    def _follow_total(self, old: Quota | None, new: Quota | None) -> bool:
        """Follow an edit of nothing but the published total of a built-in quota.

        The controller itself writes it whenever nodes change, so it must not cost a new forest.
        """
        if old is None or new is None or new.name not in (names.ROOT_QUOTA, names.SYSTEM_QUOTA):
            return False
        if old.is_root or new.is_root or replace(old, total=new.total) != new:
            return False
        forest = self.forest
        root = forest.quotas[names.ROOT_QUOTA]
        if new.name == names.ROOT_QUOTA and forest.verdicts[new.key].accepted:
            if root.total != old.total or not _holds_alone(new, forest):
                return False
            quotas = {**forest.quotas, new.name: replace(root, total=new.total)}
            self.forest = replace(forest, quotas=quotas)
        return True

    def reconfigure(self, terms: SharingTerms) -> None:
        """Judge all quotas again by these settings."""
        self.forest = acceptance.build(self._quotas.values(), terms)


class _Edited:
    """A forest after some edits, and the names of quotas whose verdicts these changed."""

    def __init__(self, forest: Forest) -> None:
        self.forest = forest
        self.judged: set[str] = set()

    def follow(self, old: Quota | None, new: Quota | None) -> bool:
        """Follow one edit; False: it may move other quotas, so the forest must be built again."""
        forest, edited = self.forest, new or old
        if edited is None:
            return True
        if edited.name in names.RESERVED_QUOTAS:
            return False
        holder = forest.quotas.get(edited.name)
        if old is not None and new is not None:
            if holder == old and _same_place(old, new):
                self._change_amounts(old, new)
                return True
        elif not _is_named_as_parent(edited, forest) and not edited.is_root:
            if new is not None and holder is None:
                self._add(new)
                return True
            if old is not None and holder == old and _holds_alone(old, forest):
                self._remove(old)
                return True
        return False

    def _change_amounts(self, old: Quota, new: Quota) -> None:
        forest = self.forest
        self.forest = replace(
            forest,
            quotas={**forest.quotas, new.name: new},
            index=forest.index.after(old, new),
        )
        if new.name in forest.tree_of:
            self._judge(new.name, (new.parent, new.name))

    def _add(self, new: Quota) -> None:
        forest = self.forest
        quotas = {**forest.quotas, new.name: new}
        index = forest.index.after(None, new)
        place = _place(new.parent, forest)
        # The root of the default tree is no level.
        level = len(forest.path(new.parent)) + (place != names.DEFAULT_TREE)
        own_place = position.below_parent(new, quotas, {new.parent: place}, level)
        if isinstance(own_place, Verdict):
            verdicts = {**forest.verdicts, new.key: own_place}
            self.forest = replace(forest, quotas=quotas, verdicts=verdicts, index=index)
            return
        children = dict(forest.trees[own_place].children)
        children[new.parent] = tuple(sorted((*children[new.parent], new.name)))
        tree_of = {**forest.tree_of, new.name: own_place}
        self.forest = replace(forest, quotas=quotas, tree_of=tree_of, index=index)
        self._arrange(own_place, children)
        self._judge(new.name, (new.parent,))

    def _remove(self, old: Quota) -> None:
        forest = self.forest
        quotas, verdicts, tree_of = dict(forest.quotas), dict(forest.verdicts), dict(forest.tree_of)
        del quotas[old.name], verdicts[old.key]
        tree_id = tree_of.pop(old.name, None)
        self.forest = replace(
            forest,
            quotas=quotas,
            verdicts=verdicts,
            tree_of=tree_of,
            index=forest.index.after(old, None),
        )
        if tree_id is None:
            return
        children = dict(forest.trees[tree_id].children)
        del children[old.name]
        children[old.parent] = tuple(name for name in children[old.parent] if name != old.name)
        self._arrange(tree_id, children)
        self._judge(old.name, (old.parent,))

    def _arrange(self, tree_id: str, children: Mapping[str, tuple[str, ...]]) -> None:
        """Give a tree other children."""
        forest = self.forest
        root = forest.quotas[forest.trees[tree_id].root]
        tree = acceptance.tree_below(tree_id, root, children, forest.terms)
        self.forest = replace(forest, trees={**forest.trees, tree_id: tree})

    def _judge(self, edited: str, parents: Iterable[str]) -> None:
        """Judge ``edited``, the children of ``parents``, and those below a verdict that changes."""
        forest = self.forest
        quotas, verdicts = forest.quotas, dict(forest.verdicts)
        roots = {tree.root for tree in forest.trees.values()}
        if edited in roots or (edited in forest.tree_of and quotas[edited].parent in roots):
            verdicts[quotas[edited].key] = acceptance.spec(quotas[edited], quotas)
        waiting = deque(parent for parent in parents if parent not in roots)
        while waiting:
            parent = waiting.popleft()
            tree_id = forest.tree_of[parent]
            children = forest.trees[tree_id].children[parent]
            new_verdicts = {child: acceptance.spec(quotas[child], quotas) for child in children}
            new_verdicts[parent] = _verdict(parent, quotas, verdicts)
            refused = forest.terms.sums_refused.holds_in(tree_id)
            guarantee.judge_children(parent, children, quotas, new_verdicts, refused=refused)
            for child in children:
                key = quotas[child].key
                before = verdicts.get(key)
                verdicts[key] = new_verdicts[child]
                if before != new_verdicts[child]:
                    self.judged.add(child)
                if before is not None and before.reason != new_verdicts[child].reason:
                    waiting.append(child)
        self.forest = replace(forest, verdicts=verdicts)


def _same_place(old: Quota, new: Quota) -> bool:
    """Whether all fields that decide its place, or that concern its tree, are unchanged."""
    return new == replace(
        new,
        key=old.key,
        uid=old.uid,
        created=old.created,
        parent=old.parent,
        is_parent=old.is_parent,
        is_root=old.is_root,
        tree_id=old.tree_id,
        guarantee_usage=old.guarantee_usage,
        child_namespaces=old.child_namespaces,
    )


def _is_named_as_parent(quota: Quota, forest: Forest) -> bool:
    """Whether another quota, or the quota itself, names it as parent."""
    return quota.parent == quota.name or quota.name in forest.index.children


def _holds_alone(quota: Quota, forest: Forest) -> bool:
    """Whether no other object has the name."""
    return all(key.name != quota.name or key == quota.key for key in forest.verdicts)


def _place(name: str, forest: Forest) -> position.Position:
    """The tree in which a quota has its place, or why it has none."""
    if name in forest.tree_of:
        return forest.tree_of[name]
    return _verdict(name, forest.quotas, forest.verdicts)


def _verdict(name: str, quotas: Mapping[str, Quota], verdicts: Mapping[Key, Verdict]) -> Verdict:
    """The verdict on the quota that holds a name; built-in quotas are accepted."""
    return verdicts.get(quotas[name].key, ACCEPTED) if name in quotas else ACCEPTED
