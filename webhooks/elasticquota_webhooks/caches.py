"""What a replica knows without asking: quotas, profiles and namespaces, and its own last answers.

Stale by as much as the watches lag, complete as soon as `filled`. The forest is built when somebody
asks for the first time after a change; changes of status, which come every second, are none.
"""

import time
from collections.abc import Callable

from elasticquota import names
from elasticquota.forest import judge
from elasticquota.forest.membership import Membership
from elasticquota.ledger.accounting import Accounting
from elasticquota.model.key import Key
from elasticquota.model.namespace import Namespace
from elasticquota.model.profile import Profile
from elasticquota.model.quota import Quota
from elasticquota.model.selector import Selector
from elasticquota.sharing import capacity
from elasticquota.wire import namespaces, profiles, quotas
from elasticquota_webhooks.published import Published
from elasticquota_webhooks.recent import Recent
from elasticquota_webhooks.shelf import Shelf


class Caches:
    """The shelves, and the values made of them."""

    def __init__(self, accounting: Accounting, clock: Callable[[], float] = time.monotonic) -> None:
        self.quotas: Shelf[quotas.QuotaManifest, Quota] = Shelf(
            names.QUOTA_KIND, quotas.read, self._forget, self._seen
        )
        self.profiles: Shelf[profiles.ProfileManifest, Profile] = Shelf(
            names.PROFILE_KIND, profiles.read, self._forget
        )
        self.namespaces: Shelf[namespaces.NamespaceManifest, Namespace] = Shelf(
            "Namespace", namespaces.read, lambda: None
        )
        self.published = Published()
        self.accounting = accounting
        self._recent = Recent(clock)
        self._membership: Membership | None = None
        self._selectors: dict[str, Selector] | None = None

    @property
    def filled(self) -> bool:
        """Everything that existed at the start has been read."""
        return self.quotas.full and self.profiles.full and self.namespaces.full

    def membership(self) -> Membership:
        """The forest with what was permitted just now, and which pod belongs where."""
        if self._recent.expire() or self._membership is None:
            forest = judge.build(self._recent.over(self.quotas.values))
            self._membership = self.accounting.membership(forest)
        return self._membership

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

    def remember(self, key: Key, quota: Quota | None, version: str) -> None:
        """Note a permitted change of ``key``, which was at ``version``; None: a removal."""
        self._recent.note(key, quota, version)
        self._membership = None

    def _seen(self, key: Key, version: str) -> None:
        if self._recent.seen(key, version):
            self._membership = None

    def _forget(self) -> None:
        self._membership = None
        self._selectors = None
