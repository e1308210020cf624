"""The caches of a replica: quotas, profiles and namespaces, and what it permitted itself.

They lag as far behind as the watches and are complete once `filled`. The forest is updated on the
first use after a change, one changed quota after the other. Status changes, which come every
second, do not touch it.
"""

import time
from collections.abc import Callable, Mapping

from elasticquota.derived import roots_to_come
from elasticquota.forest.incremental import IncrementalForest
from elasticquota.forest.membership import Membership
from elasticquota.ledger.inputs.accounting import Accounting
from elasticquota.model import tree_ids
from elasticquota.model.key import Key
from elasticquota.model.namespace import Namespace
from elasticquota.model.profile import Profile
from elasticquota.model.quota import Quota
from elasticquota.model.selector import Selector
from elasticquota.wire.kubernetes import namespaces
from elasticquota.wire.quota import profiles, quotas
from elasticquota_kube.informer import reflector
from elasticquota_kube.informer.store import OnChange, Store
from elasticquota_webhooks.cache import assume_cache
from elasticquota_webhooks.cache.assume_cache import AssumeCache
from elasticquota_webhooks.cache.assumed_growths import AssumedGrowths
from elasticquota_webhooks.cache.published import Published
from elasticquota_webhooks.cache.queue_placements import QueuePlaces


class Caches:
    """The stored objects, and the values computed from them."""

    def __init__(self, accounting: Accounting, clock: Callable[[], float] = time.monotonic) -> None:
        self.quotas = _QuotaStore(self._touch, self._seen)
        self.profiles: Store[profiles.ProfileManifest, Profile] = Store(
            profiles.read, lambda *_: self._forget_profiles()
        )
        self.namespaces: Store[namespaces.NamespaceManifest, Namespace] = Store(namespaces.read)
        self.published = Published()
        self.queues = QueuePlaces()
        self.accounting = accounting
        self.growths = AssumedGrowths(clock)
        self._assumed = AssumeCache(clock)
        self._roots: Mapping[Key, Quota] = {}
        self._expected = _FollowedForest(accounting, self._over)
        self._stored = _FollowedForest(accounting, lambda _key, stored: stored)
        self._selectors: dict[str, Selector] | None = None
        self._roots_are_old = False

    @property
    def filled(self) -> bool:
        """Whether everything that existed at the start has been read."""
        return all(each.has_synced for each in (self.quotas, self.profiles, self.namespaces))

    def count_by(self, accounting: Accounting) -> None:
        """Use another accounting from now on."""
        self.accounting = accounting
        for each in (self._expected, self._stored):
            each.count_by(accounting)

    def membership(self) -> Membership:
        """The forest as it will be, for rules about quotas.

        It has the changes just permitted, and the root quotas that profiles name.
        """
        if self._roots_are_old:
            self._roots_are_old = False
            before, self._roots = self._roots, roots_to_come.of(self.profiles.list())
            self._expected.touched.update(before.keys() | self._roots.keys())
        self._expected.touched.update(self._assumed.expire())
        return self._expected.membership(self.quotas.values)

    def stored_membership(self) -> Membership:
        """The forest as stored; decisions about pods use it, so no review can change them."""
        return self._stored.membership(self.quotas.values)

    def selector(self, tree_id: str) -> Selector:
        """The nodes of a tree: the selector of its oldest profile, empty without one."""
        if self._selectors is None:
            youngest_first = sorted(
                self.profiles.list(), key=lambda each: (each.created, each.uid)
            )[::-1]
            self._selectors = {tree_ids.of(profile): profile.selector for profile in youngest_first}
        return self._selectors.get(tree_id, Selector())

    def leaving(self, namespace: str) -> bool:
        """Whether a namespace is being deleted."""
        found = self.namespaces.get(Key("", namespace))
        return found is not None and found.terminating

    def is_namespace(self, name: str) -> bool:
        """Whether there is a namespace of that name."""
        return self.namespaces.get(Key("", name)) is not None

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

    def _touch(self, key: Key, *_: Quota | None) -> None:
        self._expected.touched.add(key)
        self._stored.touched.add(key)

    def _over(self, key: Key, stored: Quota | None) -> Quota | None:
        return self._assumed.over(key, stored) or self._roots.get(key)

    def _forget_profiles(self) -> None:
        self._selectors = None
        self._roots_are_old = True


class _QuotaStore(Store[quotas.QuotaManifest, Quota]):
    """Passes on the version of each event too, which may show a write that we permitted."""

    def __init__(self, on_change: OnChange[Quota], seen: Callable[[Key, str], None]) -> None:
        super().__init__(quotas.read, on_change)
        self._seen = seen

    def upsert(self, obj: quotas.QuotaManifest, /) -> bool:
        """Store a new or changed quota; return whether it differs."""
        is_changed = super().upsert(obj)
        self._seen(obj.metadata.key, obj.metadata.resource_version)
        return is_changed

    def delete(self, key: reflector.ObjectKey, /) -> bool:
        """Remove a quota; return whether it was there."""
        is_changed = super().delete(key)
        self._seen(Key(key.namespace, key.name), "")
        return is_changed


class _FollowedForest:
    """The forest of the quotas as ``over`` returns them, updated when it is used."""

    def __init__(
        self, accounting: Accounting, over: Callable[[Key, Quota | None], Quota | None]
    ) -> None:
        self.touched: set[Key] = set()
        self._over = over
        self._forest = IncrementalForest(accounting.terms)
        self.count_by(accounting)

    def count_by(self, accounting: Accounting) -> None:
        """Use another accounting from now on."""
        self._accounting = accounting
        self._forest.reconfigure(accounting.terms)
        self._membership = accounting.membership(self._forest.forest)

    def membership(self, stored: Mapping[Key, Quota]) -> Membership:
        """The membership for the ``stored`` quotas."""
        if self.touched:
            self._forest.update({key: self._over(key, stored.get(key)) for key in self.touched})
            self.touched.clear()
            self._membership = self._accounting.membership(self._forest.forest)
        return self._membership
