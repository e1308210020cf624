"""Reclaim: what a quota holds beyond its runtime goes back, by need, gently, never below min.

Two clocks. *An owner waits*: pods of another quota are within its min and only lack room; after
``grace`` exactly what they lack is taken from quotas that hold too much, at every level of the
tree where it is short. *Nobody waits*: over-use that lasts longer than ``delay`` (lowered max, lost
node, a fair share that shrank) is taken back. Pods already on their way out count as returned, so
that a restart in the middle takes nothing twice. The default quota gives back like others;
the system quota never does.

Held means admitted, not used: an admitted pod without a node blocks the same room as a bound one.
Not here yet: headroom, minRuntime, the brake, victims chosen by node.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from elasticquota import names, resources
from elasticquota.enforcement import victims, wording
from elasticquota.enforcement.policy import Policy
from elasticquota.enforcement.room import Room
from elasticquota.forest import walk
from elasticquota.ledger.books import Books
from elasticquota.ledger.tree_books import TreeBooks
from elasticquota.model.decision import Clocks, Eviction
from elasticquota.model.pod import Pod
from elasticquota.resources import EMPTY, Resources


@dataclass(frozen=True, slots=True)
class Reclaim:
    """One tree's round. ``due`` is when (same clock as ``now``) a clock runs out, or None."""

    evictions: tuple[Eviction, ...] = ()
    clocks: Clocks = field(default_factory=Clocks)
    due: int | None = None


def reclaim(
    books: Books,
    tree: TreeBooks,
    room: Room,
    blocked: Sequence[tuple[str, Pod]],
    clocks: Clocks,
    policy: Policy,
    now: int,
) -> Reclaim:
    """Evictions of one tree after its admissions were booked in ``room``."""
    over = {name: over_use(books, tree, name) for name in tree.tree.order if name in books.accounts}
    over = {name: amount for name, amount in over.items() if amount}
    lacks = _lacks(books, tree, room, blocked, over)
    owner_waits = {name: clocks.owner_waits_since.get(name, now) for name in lacks}
    over_since = {name: clocks.over_since.get(name, now) for name in over}
    owners = tuple(name for name in lacks if now - owner_waits[name] >= policy.grace)
    session = _Session(books, tree, room, over)
    session.return_to(owners, lacks)
    for name in over:
        if now - over_since[name] >= policy.delay:
            session.return_over_use(name)
    due = [since + policy.grace for name, since in owner_waits.items() if name not in owners]
    due += [since + policy.delay for since in over_since.values() if since + policy.delay > now]
    return Reclaim(
        tuple(session.evictions), Clocks(over_since, owner_waits), min(due, default=None)
    )


def over_use(books: Books, tree: TreeBooks, name: str) -> Resources:
    """What the quota's own pods hold beyond their runtime; in-flight pods count as returned."""
    if name in (names.ROOT_QUOTA, names.SYSTEM_QUOTA):
        return EMPTY
    account = books.account(name)
    runtime = tree.runtimes.own_runtime(name)
    held = resources.masked(account.held, runtime.keys())
    return resources.positive(resources.subtract(held, runtime))


def _lacks(
    books: Books,
    tree: TreeBooks,
    room: Room,
    blocked: Sequence[tuple[str, Pod]],
    over: Mapping[str, Resources],
) -> dict[str, Resources]:
    """What each owner's guaranteed pods ask for and only others' over-use keeps from them."""
    lacks: dict[str, Resources] = {}
    free = room.left_on_nodes()
    holders: dict[str, set[str]] = defaultdict(set)
    for name, amount in over.items():
        for key in amount:
            holders[key].add(name)
    for name, pod in blocked:
        contested = {key for key, names_over in holders.items() if names_over != {name}}
        before = lacks.get(name, EMPTY)
        after = resources.add(before, pod.request)
        held = resources.add(room.admitted(name), after)
        guaranteed = books.forest.effective_min(name)
        wants = contested & resources.positive(pod.request).keys()
        if (
            wants
            and all(held.get(key, 0) <= guaranteed.get(key, 0) for key in wants)
            and resources.fits(held, tree.runtimes.runtime(name))
            # Whoever gives back cpu gives back a pod's place on a node with it.
            and not set(resources.exceeding(after, free)) - contested - {names.PODS}
        ):
            lacks[name] = after
    return lacks


class _Session:
    """Collects the victims of one tree; each is booked before the next is looked for."""

    def __init__(
        self, books: Books, tree: TreeBooks, room: Room, over: Mapping[str, Resources]
    ) -> None:
        self._books = books
        self._tree = tree
        self._over = dict(over)
        self._room = room
        self._returned: dict[str, Resources] = defaultdict(
            lambda: EMPTY,
            walk.roll_up(
                tree.tree, {name: books.account(name).returning for name in tree.tree.order}
            ),
        )
        self._held = {name: books.account(name).held for name in over}
        self._spared = set(books.withheld)
        """Uids: protected for now, or chosen already."""
        self.evictions: list[Eviction] = []

    def return_to(self, owners: Sequence[str], lacks: Mapping[str, Resources]) -> None:
        """Make room for ``owners`` at every parent on their paths, the deepest first."""
        for place in reversed(self._tree.tree.order):
            below = [name for name in owners if place in self._books.forest.path(name)[1:]]
            if not below:
                continue
            lack = resources.add(*(lacks[name] for name in below))
            need = resources.positive(resources.subtract(lack, self._left(place)))
            self._take_below(place, need, tuple(below))

    def return_over_use(self, name: str) -> None:
        """All that ``name`` still holds beyond its runtime."""
        over = self._over.get(name, EMPTY)
        if over:
            text = wording.reclaimed_over_use(name, self._tree, over, self._held[name])
            self._evict(name, over, text)

    def _left(self, place: str) -> Resources:
        """Room at ``place`` once all that is on its way out is gone; only keys it limits."""
        at_root = place == self._tree.tree.root
        limit = self._tree.available if at_root else self._tree.runtimes.runtime(place)
        held = resources.subtract(self._room.admitted(place), self._returned[place])
        return resources.masked(resources.subtract(limit, held), limit.keys())

    def _take_below(self, place: str, need: Resources, owners: tuple[str, ...]) -> None:
        holders = sorted(
            (name for name in self._over if place in self._books.forest.path(name)),
            key=lambda name: (-self._room.dominant_share(name), name),
        )
        for name in holders:
            over = self._over[name]
            share = resources.positive(resources.cut(resources.masked(need, over.keys()), over))
            if not share:
                continue
            text = wording.reclaimed_for(name, self._tree, owners, over, self._held[name])
            given = self._evict(name, share, text)
            need = resources.positive(resources.subtract(need, given))

    def _evict(self, name: str, need: Resources, text: str) -> Resources:
        """Choose, book and note the victims; what they give."""
        floor = self._books.forest.effective_min(name)
        account = self._books.account(name)
        chosen = victims.choose(account, self._spared, self._held[name], need, floor)
        given = resources.add(*(pod.request for pod in chosen))
        self._spared.update(pod.uid for pod in chosen)
        self._held[name] = resources.subtract(self._held[name], given)
        self._over[name] = resources.positive(resources.subtract(self._over[name], given))
        for ancestor in self._books.forest.path(name):
            self._returned[ancestor] = resources.add(self._returned[ancestor], given)
        self.evictions.extend(Eviction(pod.key, pod.uid, name, pod.request, text) for pod in chosen)
        return given
