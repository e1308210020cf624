"""What an edit of one quota, or a request, does to the shares around it, from published figures.

The admission webhook knows all quotas, and of each the figures that the controller published last,
but no pods. So the shares are computed again with the same solver, in the part of the tree that an
edit of amounts concerns: the quota, those above it, and the siblings of all of these; what is below
a sibling counts as its request. Before and after are computed from the same figures, so that
nothing else makes a difference.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from elasticquota import names, resources
from elasticquota.forest.structure import Forest, Tree
from elasticquota.model.quota import Figures, Quota
from elasticquota.resources import EMPTY, Resources
from elasticquota.sharing.index import TreeIndex
from elasticquota.sharing.solver import ResourceSolver
from elasticquota.structs import replace


MOST: Final = 600
"""Quotas times resources that are computed: more would take an admission request over 10 ms."""
_NOTHING: Final = Figures()


class ShareChange(NamedTuple):
    """One quota and one resource, in accounting units."""

    quota: str
    key: str
    before: int
    after: int
    held: int
    """What its admitted pods hold."""
    asked: int
    """What its pods ask for, the waiting ones included, up to its max."""

    @property
    def newly_beyond(self) -> int:
        """What its pods hold beyond the share after the edit and not beyond the one before."""
        return max(0, self.held - self.after) - max(0, self.held - self.before)

    @property
    def gains(self) -> int:
        """The part of a larger share that its waiting pods ask for."""
        return max(0, min(self.after, self.asked) - max(self.before, self.held))


def concerned(old: Quota, new: Quota, forest: Forest) -> tuple[str, ...]:
    """The quotas whose published figures are needed; empty when the edit is not judged here.

    That is for a quota that moves, is in no tree or is not accepted, because its place decides; in
    a tree that guarantees use, because what is below siblings counts; and where there are too many
    of these.
    """
    stays = old.parent == new.parent and forest.quotas.get(old.name, new).key == old.key
    return concerned_by_request(old.name, len(keys(old, new)), forest) if stays else ()


def concerned_by_request(name: str, count: int, forest: Forest) -> tuple[str, ...]:
    """As ``concerned``, for a request of so many resources that comes to the quota."""
    path = forest.path(name)
    if len(path) < 2 or not forest.accepted(name):
        return ()
    tree = forest.trees[forest.tree_of[name]]
    if tree.guarantees_use:
        return ()
    found = (tree.root, *(child for above in path[1:] for child in tree.children[above]))
    return found if len(found) * count <= MOST else ()


def keys(old: Quota, new: Quota) -> tuple[str, ...]:
    """The resources whose amounts the edit changes; none for an edit of anything else."""
    sides = ((each.min, each.max, each.shared_weight or EMPTY) for each in (old, new))
    found = {
        key
        for before, after in zip(*sides, strict=True)
        for key in before.keys() | after.keys()
        if before.get(key) != after.get(key)
    }
    return tuple(sorted(found - {names.PODS}))


def changes(
    old: Quota, new: Quota, forest: Forest, published: Mapping[str, Figures]
) -> tuple[ShareChange, ...]:
    """The shares that change, of the edited quota and of the siblings on its path.

    ``forest`` is that before the edit, and ``published`` has the figures of all that are
    ``concerned``. Resources whose total is not published yet are left out.
    """
    forest = replace(forest, quotas={**forest.quotas, old.name: old})
    part = _part(old.name, forest)
    asked = _asked(old, part, forest, published)
    solvers = _Solvers(part, forest, published, asked, keys(old, new))
    before = solvers.shares()
    after_edit = replace(forest, quotas={**forest.quotas, new.name: new})
    solvers.index.update_claims((new.name,), after_edit)
    slot = solvers.index.slot_of[new.name]
    for key, solver in solvers.by_key.items():
        solver.claim(slot, asked[new.name].get(key, 0))
    return tuple(each for each in solvers.changes(before) if each.before != each.after)


def changes_by_request(
    quota: Quota, more: Resources, forest: Forest, published: Mapping[str, Figures]
) -> tuple[ShareChange, ...]:
    """The shares when pods that ask for ``more`` come to ``quota``, also those that do not change.

    ``published`` has the figures of all that are ``concerned_by_request``.
    """
    part = _part(quota.name, forest)
    asked = _asked(quota, part, forest, published)
    wanted = tuple(sorted(key for key, amount in more.items() if amount and key != names.PODS))
    solvers = _Solvers(part, forest, published, asked, wanted)
    before = solvers.shares()
    slot = solvers.index.slot_of[quota.name]
    for key, solver in solvers.by_key.items():
        solver.set_request(slot, asked[quota.name].get(key, 0) + more[key])
    return tuple(solvers.changes(before))


def pod_limit(quota: Quota, forest: Forest, published: Mapping[str, Figures]) -> ShareChange | None:
    """What a max of ``pods`` on the path leaves to ``quota``; None: no quota there has one.

    Only a max bounds pods, so what it leaves stands for the share.
    """
    left = [
        forest.quotas[name].max[names.PODS] - _pods_in(published.get(name, _NOTHING))
        for name in forest.path(quota.name)
        if names.PODS in forest.quotas[name].max
    ]
    if not left:
        return None
    own = published.get(quota.name, _NOTHING)
    most = _pods_in(own) + max(0, min(left))
    held = own.admitted.get(names.PODS, 0)
    return ShareChange(quota.name, names.PODS, most, most, held, own.request.get(names.PODS, 0))


def _pods_in(figures: Figures) -> int:
    """The pods that run or wait."""
    return max(figures.admitted.get(names.PODS, 0), figures.request.get(names.PODS, 0))


class _Solvers:
    """One for each resource whose total is published."""

    def __init__(
        self,
        part: Tree,
        forest: Forest,
        published: Mapping[str, Figures],
        asked: Mapping[str, Resources],
        wanted: Sequence[str],
    ) -> None:
        total = published.get(part.root, _NOTHING).runtime
        self._leaves = [name for name in part.order if not part.children[name]]
        self._held = {name: published.get(name, _NOTHING).admitted for name in self._leaves}
        self.index = TreeIndex(part, forest)
        asked_by_slot = self.index.by_slot(asked)
        held_by_slot = self.index.by_slot(self._held)
        self.by_key = {
            key: ResourceSolver(key, self.index, total[key], asked_by_slot, held_by_slot)
            for key in wanted
            if key in total
        }

    def shares(self) -> Mapping[str, Mapping[str, int]]:
        """By resource and quota."""
        return {
            key: _shares(solver, self.index, self._leaves) for key, solver in self.by_key.items()
        }

    def changes(self, before: Mapping[str, Mapping[str, int]]) -> Iterator[ShareChange]:
        """What each quota has now, and had ``before``."""
        after = self.shares()
        for key, solver in self.by_key.items():
            for name in self._leaves:
                yield ShareChange(
                    name,
                    key,
                    before[key][name],
                    after[key][name],
                    self._held[name].get(key, 0),
                    solver.limited(self.index.slot_of[name]),
                )


def _shares(solver: ResourceSolver, index: TreeIndex, quotas: Sequence[str]) -> dict[str, int]:
    solver.settle()
    return {name: solver.share(index.slot_of[name]) for name in quotas}


def _part(name: str, forest: Forest) -> Tree:
    """The tree without what is below the quota and below the siblings on its path."""
    tree, path = forest.trees[forest.tree_of[name]], forest.path(name)
    order = [tree.root]
    children: dict[str, tuple[str, ...]] = {}
    for above in reversed(path[1:]):
        children[above] = tree.children[above]
        order.extend(tree.children[above])
    return replace(
        tree, order=tuple(order), children={each: children.get(each, ()) for each in order}
    )


def _asked(
    old: Quota, part: Tree, forest: Forest, published: Mapping[str, Figures]
) -> Mapping[str, Resources]:
    """What own pods ask for, by quota; of a quota without children here, the whole request."""
    requests: dict[str, Resources] = {}
    for name in part.order:
        quota, figures = forest.quotas[name], published.get(name, _NOTHING)
        if part.children[name]:
            below = (
                resources.cut(published.get(child, _NOTHING).request, forest.quotas[child].max)
                for child in part.children[name]
            )
            asked = asked_by_pods(quota, figures)
            requests[name] = resources.positive(resources.subtract(asked, resources.add(*below)))
        else:
            requests[name] = asked_by_pods(quota, figures) if name == old.name else figures.request
    return requests


def asked_by_pods(quota: Quota, figures: Figures) -> Resources:
    """What the pods of a quota and of those below it ask for, by its published figures.

    Where lending is off the request is at least min, so up to min only what is admitted is known.
    """
    if quota.allow_lent:
        return figures.request
    return {
        key: amount if amount > quota.min.get(key, 0) else figures.admitted.get(key, 0)
        for key, amount in figures.request.items()
    }
