"""The caches of a replica: quotas, profiles and namespaces, and what it permitted itself.

They lag as far behind as the watches and are complete once `filled`. The forest is updated on the
first use after a change, one changed quota after the other. Status changes, which come every
second, do not touch it.
"""

import time
from collections.abc import Callable, Mapping
from typing import Final

from elasticquota import names
from elasticquota.forest import acceptance, incremental
from elasticquota.forest.membership import Membership
from elasticquota.forest.structure import Forest
from elasticquota.ledger.accounting import Accounting
from elasticquota.model.key import Key
from elasticquota.model.namespace import Namespace
from elasticquota.model.profile import Profile
from elasticquota.model.quota import Quota
from elasticquota.model.selector import Selector
from elasticquota.sharing import capacity
from elasticquota.wire.kubernetes import namespaces
from elasticquota.wire.quota import profiles, quotas
from elasticquota_webhooks.cache import assume_cache
from elasticquota_webhooks.cache.assume_cache import AssumeCache
from elasticquota_webhooks.cache.object_store import ObjectStore
from elasticquota_webhooks.cache.published import Published
from elasticquota_webhooks.cache.queue_placements import QueuePlaces


_ONE_BY_ONE: Final = 16
"""Changes that are applied one by one; for more, the forest is built again from all quotas."""


class Caches:
    """The stored objects, and the values computed from them."""

    def __init__(self, accounting: Accounting, clock: Callable[[], float] = time.monotonic) -> None:
        self.quotas: ObjectStore[quotas.QuotaManifest, Quota] = ObjectStore(
            names.QUOTA_KIND, quotas.read, self._touch, self._seen
        )
        self.profiles: ObjectStore[profiles.ProfileManifest, Profile] = ObjectStore(
            names.PROFILE_KIND, profiles.read, self._forget_selectors
        )
        self.namespaces: ObjectStore[namespaces.NamespaceManifest, Namespace] = ObjectStore(
            "Namespace", namespaces.read, lambda _key: None
        )
        self.published = Published()
        self.queues = QueuePlaces()
        self.accounting = accounting
        self._assumed = AssumeCache(clock)
        self._expected = _Grown(accounting, self._assumed.over)
        self._stored = _Grown(accounting, lambda _key, stored: stored)
        self._selectors: dict[str, Selector] | None = None

    @property
    def filled(self) -> bool:
        """Whether everything that existed at the start has been read."""
        return self.quotas.full and self.profiles.full and self.namespaces.full

    def count_by(self, accounting: Accounting) -> None:
        """Use another accounting from now on."""
        self.accounting = accounting
        for each in (self._expected, self._stored):
            each.count_by(accounting)

    def membership(self) -> Membership:
        """The forest with the changes just permitted; for sums, which can only lead to refusals."""
        self._expected.touched.update(self._assumed.expire())
        return self._expected.membership(self.quotas.values)

    def stored_membership(self) -> Membership:
        """The forest as stored; decisions about pods use it, so no review can change them."""
        return self._stored.membership(self.quotas.values)

    def selector(self, tree_id: str) -> Selector:
        """The nodes of a tree: the selector of its oldest profile, empty without one."""
        if self._selectors is None:
            youngest_first = sorted(
                self.profiles.values.values(), key=lambda each: (each.created, each.uid)
            )[::-1]
            self._selectors = {
                capacity.tree_id_of(profile): profile.selector for profile in youngest_first
            }
        return self._selectors.get(tree_id, Selector())

    def leaving(self, namespace: str) -> bool:
        """Whether a namespace is being deleted."""
        found = self.namespaces.values.get(Key("", namespace))
        return found is not None and found.terminating

    def is_namespace(self, name: str) -> bool:
        """Whether there is a namespace of that name."""
        return Key("", name) in self.namespaces.values

    def remember(self, key: Key, quota: Quota | None, version: str) -> None:
        """Note a permitted change of ``key``, which was at ``version``; None: a deletion."""
        self._assumed.note(key, quota, version)
        self._expected.touched.add(key)

    def distrust(self) -> None:
        """Drop older notes after the API server was read and does not have their writes."""
        self._expected.touched.update(self._assumed.expire(assume_cache.DOUBTED_AFTER))

    def _seen(self, key: Key, version: str) -> None:
        if self._assumed.seen(key, version):
            self._expected.touched.add(key)

    def _touch(self, key: Key) -> None:
        self._expected.touched.add(key)
        self._stored.touched.add(key)

    def _forget_selectors(self, _key: Key) -> None:
        self._selectors = None


class _Grown:
    """A forest of the quotas as ``over`` returns them, updated when it is used."""

    def __init__(
        self, accounting: Accounting, over: Callable[[Key, Quota | None], Quota | None]
    ) -> None:
        self.touched: set[Key] = set()
        self._over = over
        self._accounting = accounting
        self._membership = accounting.membership(acceptance.build((), accounting.terms))
        self._standing: dict[Key, Quota] = {}
        """The quotas that the forest of ``_membership`` was built from."""

    def count_by(self, accounting: Accounting) -> None:
        """Use another accounting from now on."""
        self._accounting = accounting
        forest = acceptance.build(self._standing.values(), accounting.terms)
        self._membership = accounting.membership(forest)

    def membership(self, stored: Mapping[Key, Quota]) -> Membership:
        """The membership for the ``stored`` quotas."""
        if self.touched:
            forest = self._regrown(self._membership.forest, stored)
            self._membership = self._accounting.membership(forest)
        return self._membership

    def _regrown(self, forest: Forest, stored: Mapping[Key, Quota]) -> Forest:
        one_by_one = len(self.touched) <= _ONE_BY_ONE
        for key in self.touched:
            old = self._standing.pop(key, None)
            new = self._over(key, stored.get(key))
            if new is not None:
                self._standing[key] = new
            if one_by_one and new != old:
                forest = incremental.after(forest, old, new, self._standing.values())
        self.touched.clear()
        return forest if one_by_one else acceptance.build(self._standing.values(), forest.terms)
