"""After one edit the forest is what it would be if all were judged anew, at the cost of the edit.

Edits that come often are followed up where they act. Other amounts in a quota that stays where it
is: verdicts change among its siblings and its children, and further down only below a quota that is
accepted now and was not, or the reverse. A quota that comes or goes and that nobody names as its
parent: its tree gets one more or one less. Whatever else happens (a name held twice, another
parent, a new root, a reserved name) moves quotas that are not in the edit, and all are judged anew.
"""

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import replace

from elasticquota import names
from elasticquota.forest import acceptance, guarantee, position
from elasticquota.forest.structure import Forest
from elasticquota.model.key import Key
from elasticquota.model.quota import Quota
from elasticquota.model.verdict import ACCEPTED, Verdict


Edit = tuple[Quota | None, Quota | None]
"""An object as it was and as it is; None: there was, or is, none."""


def after(forest: Forest, old: Quota | None, new: Quota | None, all_now: Iterable[Quota]) -> Forest:
    """``judge.build(all_now)``, where ``forest`` was built before ``old`` became ``new``.

    By the same terms. None: there was, or is, no such object. ``all_now`` is read only when all
    are judged anew.
    """
    found = followed(forest, [(old, new)])
    return acceptance.build(all_now, forest.terms) if found is None else found


def followed(forest: Forest, edits: Iterable[Edit]) -> Forest | None:
    """The forest after these edits of different objects, or None if one of them moves others."""
    found: Forest | None = forest
    for old, new in edits:
        if found is not None:
            found = _followed(found, old, new)
    return found


def _followed(forest: Forest, old: Quota | None, new: Quota | None) -> Forest | None:
    edited = new or old
    if edited is None:
        return forest
    # Whether the default quota is a parent is not asked where it stands, but what it said itself.
    if edited.name in names.RESERVED_QUOTAS or edited.parent == names.DEFAULT_QUOTA:
        return None
    holder = forest.quotas.get(edited.name)
    if old is not None and new is not None:
        if holder == old and _same_place(old, new):
            return _with_other_amounts(forest, old, new)
    elif not _is_named_as_parent(edited, forest) and not edited.is_root:
        if new is not None and holder is None:
            return _with_one_more(forest, new)
        if old is not None and holder == old and _holds_alone(old, forest):
            return _with_one_less(forest, old)
    return None


def _same_place(old: Quota, new: Quota) -> bool:
    """Nothing that decides where a quota stands, or that its tree goes by, is another."""
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
    """By another or by itself."""
    return quota.parent == quota.name or quota.name in forest.index.children


def _holds_alone(quota: Quota, forest: Forest) -> bool:
    """No other object waits for the name."""
    return all(key.name != quota.name or key == quota.key for key in forest.verdicts)


def _with_other_amounts(forest: Forest, old: Quota, new: Quota) -> Forest:
    quotas = {**forest.quotas, new.name: new}
    changed = replace(forest, quotas=quotas, index=forest.index.after(old, new))
    if new.name not in forest.tree_of:
        return changed
    return _judged(changed, new.name, (new.parent, new.name))


def _with_one_more(forest: Forest, new: Quota) -> Forest:
    quotas = {**forest.quotas, new.name: new}
    index = forest.index.after(None, new)
    found = position.below_parent(new, quotas, {new.parent: _place(new.parent, forest)})
    if isinstance(found, Verdict):
        verdicts = {**forest.verdicts, new.key: found}
        return replace(forest, quotas=quotas, verdicts=verdicts, index=index)
    tree = forest.trees[found]
    children = dict(tree.children)
    children[new.parent] = tuple(sorted((*children[new.parent], new.name)))
    grown = replace(
        forest,
        quotas=quotas,
        trees={
            **forest.trees,
            found: acceptance.tree_below(found, quotas[tree.root], children, forest.terms),
        },
        tree_of={**forest.tree_of, new.name: found},
        index=index,
    )
    return _judged(grown, new.name, (new.parent,))


def _with_one_less(forest: Forest, old: Quota) -> Forest:
    quotas, verdicts, tree_of = dict(forest.quotas), dict(forest.verdicts), dict(forest.tree_of)
    del quotas[old.name], verdicts[old.key]
    index = forest.index.after(old, None)
    found = tree_of.pop(old.name, None)
    if found is None:
        return replace(forest, quotas=quotas, verdicts=verdicts, index=index)
    tree = forest.trees[found]
    children = dict(tree.children)
    del children[old.name]
    children[old.parent] = tuple(name for name in children[old.parent] if name != old.name)
    shrunk = replace(
        forest,
        quotas=quotas,
        verdicts=verdicts,
        trees={
            **forest.trees,
            found: acceptance.tree_below(found, quotas[tree.root], children, forest.terms),
        },
        tree_of=tree_of,
        index=index,
    )
    return _judged(shrunk, old.name, (old.parent,))


def _place(name: str, forest: Forest) -> position.Place:
    """Where a quota stands, or why nowhere."""
    if name in forest.tree_of:
        return forest.tree_of[name]
    return _verdict(name, forest.quotas, forest.verdicts)


def _verdict(name: str, quotas: Mapping[str, Quota], verdicts: Mapping[Key, Verdict]) -> Verdict:
    """The verdict on the holder of a name; what is not stored needs none."""
    return verdicts.get(quotas[name].key, ACCEPTED) if name in quotas else ACCEPTED


def _judged(forest: Forest, edited: str, parents: Iterable[str]) -> Forest:
    """``edited``, the children of ``parents``, and all below whose verdict that changes."""
    quotas, verdicts = forest.quotas, dict(forest.verdicts)
    roots = {tree.root for tree in forest.trees.values()}
    if edited in roots or (edited in forest.tree_of and quotas[edited].parent in roots):
        verdicts[quotas[edited].key] = acceptance.spec(quotas[edited], quotas)
    waiting = deque(parent for parent in parents if parent not in roots)
    while waiting:
        parent = waiting.popleft()
        tree_id = forest.tree_of[parent]
        children = forest.trees[tree_id].children[parent]
        found = {child: acceptance.spec(quotas[child], quotas) for child in children}
        found[parent] = _verdict(parent, quotas, verdicts)
        refused = forest.terms.sums_refused.holds_in(tree_id)
        guarantee.judge_children(parent, children, quotas, found, refused=refused)
        for child in children:
            key = quotas[child].key
            before = verdicts.get(key)
            verdicts[key] = found[child]
            if before is not None and before.reason != found[child].reason:
                waiting.append(child)
    return replace(forest, verdicts=verdicts)
