"""The books are the balanced picture of one moment: forest, accounts, totals and runtimes.

Made from the ledger's objects in one pass; every figure that is published or decided upon comes
from here (semantics 2-4). Nothing is carried over from an earlier moment.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from elasticquota import resources
from elasticquota.forest import judge, membership, walk
from elasticquota.forest.structure import Forest, Tree
from elasticquota.ledger import account, ground, misfit
from elasticquota.ledger.account import Account
from elasticquota.ledger.ground import Ground
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.resources import Resources
from elasticquota.sharing import capacity, demand, runtime
from elasticquota.sharing.capacity import Capacity


@dataclass(frozen=True, slots=True)
class TreeBooks:
    """One tree at one moment; mappings are by quota name and rolled up to the root."""

    tree: Tree
    total: Resources
    """What the tree's nodes offer, after the profile's ratio."""
    available: Resources
    """Total minus what pods outside the tree hold on its nodes."""
    request: Mapping[str, Resources]
    used: Mapping[str, Resources]
    admitted: Mapping[str, Resources]
    runtimes: runtime.Runtimes


@dataclass(frozen=True, slots=True)
class Books:
    forest: Forest
    capacities: Mapping[Key, Capacity]
    accounts: Mapping[str, Account]
    trees: Mapping[str, TreeBooks]

    def account(self, quota_name: str) -> Account:
        return self.accounts.get(quota_name, _IDLE)


_IDLE = Account()


def balance(ledger: Ledger, system_namespaces: AbstractSet[str]) -> Books:
    """Books of the ledger's present objects."""
    forest = judge.build(ledger.quotas.values())
    members = membership.Membership(forest, frozenset(system_namespaces))
    pods: dict[str, list[Pod]] = defaultdict(list)
    for pod in ledger.pods.values():
        pods[members.quota_of(pod)].append(pod)
    capacities = capacity.of_profiles(ledger.profiles.values(), ledger.nodes.values())
    grounds = ground.of_trees(ledger, forest, capacities)
    shapes = {tree_id: misfit.shapes(found.nodes) for tree_id, found in grounds.items()}
    accounts = {
        name: account.open_account(
            found,
            _misfits(found, name, forest, shapes.get(forest.tree_of.get(name, "-"), ())),
            ledger.releasing,
            ledger.evicting,
            ledger.withheld,
            accepted=forest.accepted(name),
        )
        for name, found in sorted(pods.items())
    }
    strangers = ground.strangers(pods, forest, grounds)
    trees = {
        tree_id: _tree_books(tree, forest, accounts, grounds[tree_id], strangers[tree_id])
        for tree_id, tree in sorted(forest.trees.items())
    }
    return Books(forest, capacities, accounts, trees)


def _misfits(
    pods: Iterable[Pod], quota_name: str, forest: Forest, node_shapes: tuple[Resources, ...]
) -> dict[str, misfit.Misfit]:
    """By pod uid; equal sizes are looked at once."""
    answers: dict[tuple[tuple[str, int], ...], misfit.Misfit | None] = {}
    found: dict[str, misfit.Misfit] = {}
    for pod in pods:
        if not pod.gated:
            continue
        size = tuple(sorted(pod.request.items()))
        if size not in answers:
            answers[size] = misfit.find(pod, quota_name, forest, node_shapes)
        answer = answers[size]
        if answer is not None:
            found[pod.uid] = answer
    return found


def _tree_books(
    tree: Tree,
    forest: Forest,
    accounts: Mapping[str, Account],
    stands_on: Ground,
    strangers: Resources,
) -> TreeBooks:
    own = {name: accounts.get(name, _IDLE) for name in tree.order}
    asked = {name: found.request for name, found in own.items()}
    left = resources.subtract(stands_on.total, strangers)
    available = {key: max(0, left[key]) for key in stands_on.total}
    return TreeBooks(
        tree=tree,
        total=stands_on.total,
        available=available,
        request=demand.request(tree, forest, asked).request,
        used=walk.roll_up(tree, {name: found.used for name, found in own.items()}),
        admitted=walk.roll_up(tree, {name: found.admitted for name, found in own.items()}),
        runtimes=runtime.solve(tree, forest, asked, available),
    )
