"""The amounts of ClusterQueues and Cohorts, summed over flavors and over what is below.

A quota of ours counts a resource once, whatever the node. So the quotas of several flavors of a
resource add up, and a borrowing limit counts only if each of these flavors has one. The limits of a
Cohort concern all that is below it.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from elasticquota import names, resources
from elasticquota.resources import Resources
from elasticquota_import.manifests.kueue_queues import ClusterQueue, Member


FlavorResource = tuple[str, str]
"""A flavor and a resource: Kueue limits each of these pairs for itself."""

Amounts = Mapping[FlavorResource, int]


class Sums(NamedTuple):
    """What a member has, with all members below it."""

    pairs: Amounts
    """The nominal quotas of all pairs that it covers."""
    nominal: Resources
    """The same by resource."""
    borrowing: Resources
    """The most that it may borrow; a missing resource has no limit."""
    limits: Amounts
    """The same of single pairs."""
    lent: Resources
    """The most that it lends, of resources of which it does not lend all."""
    counts_pods: bool
    """Whether each ClusterQueue in it covers ``pods``."""

    @property
    def most(self) -> Resources:
        """The most that it may use, where that is limited."""
        return {key: self.nominal[key] + amount for key, amount in self.borrowing.items()}

    @property
    def lends_nothing(self) -> bool:
        """Whether it keeps all that it has for itself."""
        promised = resources.positive(self.nominal)
        return bool(promised) and all(self.lent.get(key) == 0 for key in promised)


def sums(member: Member, below: Iterable[Sums]) -> Sums:
    """Add up the flavors of a member and all members below it."""
    below = list(below)
    flavors = [flavor for group in member.groups for flavor in group]
    own = [{(each.name, key): amount for key, amount in each.nominal.items()} for each in flavors]
    pairs = _total(*own, *(each.pairs for each in below))
    borrowing = _total(*(_paired(each.name, each.borrowing) for each in flavors))
    lending = _total(*(_paired(each.name, each.lending) for each in flavors))
    nominal = _by_resource(pairs)
    unlimited = {key for pair in pairs.keys() - borrowing.keys() for key in pair[1:]}
    limits = _by_resource({pair: amount for pair, amount in borrowing.items() if pair in pairs})
    lent = _by_resource({pair: min(lending.get(pair, has), has) for pair, has in pairs.items()})
    return Sums(
        pairs,
        nominal,
        {key: amount for key, amount in limits.items() if key not in unlimited},
        borrowing,
        {key: amount for key, amount in lent.items() if amount < nominal[key]},
        names.PODS in nominal
        if isinstance(member, ClusterQueue)
        else all(each.counts_pods for each in below),
    )


def _paired(flavor: str, amounts: Resources) -> Amounts:
    return {(flavor, key): amount for key, amount in amounts.items()}


def _total(*found: Amounts) -> dict[FlavorResource, int]:
    total: dict[FlavorResource, int] = {}
    for amounts in found:
        for pair, amount in amounts.items():
            total[pair] = total.get(pair, 0) + amount
    return total


def _by_resource(amounts: Amounts) -> Resources:
    found: dict[str, int] = {}
    for (_, key), amount in amounts.items():
        found[key] = found.get(key, 0) + amount
    return found
