"""Idle room goes to the first in line, when no fair share anywhere is large enough for a pod.

Shares are exact, pods are whole: where every waiting pod is larger than what is left of its
runtime, nodes would lie idle although somebody waits. So when all who fit were released, and
places are kept for those who will fit, pods are released beyond their runtime, one by one: each
time the first in fair order that

* fits in what is free on the nodes, and takes no place that is kept for others, and
* stays within every max on its path, and
* leaves alone what a quota that does not lend has not used of its min, and
* belongs to no quota whose chosen weight is 0 for what it asks beyond its runtime.

While a pod waits that is within its min and its runtime, or within its runtime and overdue at the
head of its line, idle room is only for the first such pod: else small ones would take what it waits
for, time and again. After the loss of nodes a runtime can be less than min. What is released here
is over-use like any other: an owner gets it back (``reclaim``; docs/decisions, take back only where
it helps).
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from elasticquota import resources
from elasticquota.enforcement.room import Place, Room
from elasticquota.ledger.books import Books
from elasticquota.ledger.tree_books import TreeBooks
from elasticquota.model.pod import Pod
from elasticquota.resources import EMPTY, Resources
from elasticquota.sharing import weight


Blocked = tuple[str, Pod]
"""A waiting pod and its quota."""


def first_in_line(
    books: Books,
    tree: TreeBooks,
    room: Room,
    blocked: Sequence[Blocked],
    overdue: Callable[[str, Pod], bool],
) -> Blocked | None:
    """Who is released beyond its runtime, or None.

    ``blocked`` is in fair order; of pods of one quota and size the first is enough. ``overdue``
    tells whether a pod within its runtime has waited for too long.
    """
    root = Place(tree.tree.root)
    free = room.free(root, room.limit(root))
    hosted = [waiting for waiting in blocked if resources.fits(waiting[1].request, free)]
    if not hosted:
        return None
    owner = next(
        (waiting for waiting in blocked if _is_owed(room, *waiting) or overdue(*waiting)), None
    )
    if owner is not None:
        hosted = [owner] if owner in hosted else []
    unlent = _unlent(books, tree, room)
    return next((waiting for waiting in hosted if _may_go(books, room, unlent, *waiting)), None)


class _Unlent(NamedTuple):
    """What a quota that does not lend has not used of its min."""

    path: tuple[str, ...]
    amounts: Resources


def _unlent(books: Books, tree: TreeBooks, room: Room) -> list[_Unlent]:
    found: list[_Unlent] = []
    for name in tree.tree.order:
        if tree.tree.guarantees_use or not books.forest.quotas[name].allow_lent:
            low = resources.cut(books.forest.effective_min(name), tree.runtimes.runtime(name))
            left = resources.positive(room.free(Place(name), low))
            if left and name != tree.tree.root:
                found.append(_Unlent(books.forest.path(name), left))
    return found


def _is_owed(room: Room, name: str, pod: Pod) -> bool:
    return room.entitled(name, pod) and not room.lack(room.places(name)[0], pod.request)


def _may_go(books: Books, room: Room, unlent: Sequence[_Unlent], name: str, pod: Pod) -> bool:
    path = books.forest.path(name)
    others = [each for each in unlent if each.path[0] not in path]
    for quota_name in path:
        quota, place = books.forest.quotas[quota_name], Place(quota_name)
        limit = room.ceiling(place)
        held_back = resources.add(*(each.amounts for each in others if quota_name in each.path))
        left = resources.subtract(room.free(place, limit), resources.masked(held_back, limit))
        asked = resources.positive(pod.request)
        kept = room.headroom(place, name, asked)
        left = resources.subtract(left, resources.masked(kept, limit))
        if not resources.fits(asked, left) or room.crowds_out(place, asked):
            return False
        if quota_name != path[-1] and any(
            weight.wish(quota, key, EMPTY).amount == 0
            for key in resources.exceeding(asked, room.free(place, room.limit(place)))
        ):
            return False
    return True
