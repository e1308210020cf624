"""Refuses a quota that breaks a rule.

Webhook down: the failure policy is Fail, so no quota is created, changed or deleted until a replica
is back; pods and existing quotas go on. Stale cache: a parent created a moment ago through another
replica may be unknown here, or the profile that names it, so this replica catches up with the API
server before it refuses, or lets a quota wait. A quota whose parent does not exist, or is a root
that the controller has still to make, waits for it.
Races: two replicas can each accept a child where only one of the two fits. The controller judges
every stored quota again, in order of creation, so the younger child gets no guarantee; the webhook
never decides alone.
"""

from collections.abc import Mapping
from functools import partial

import msgspec
import structlog

from elasticquota import names
from elasticquota.defaulting import quota_defaults
from elasticquota.model.key import Key
from elasticquota.resources import EMPTY
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.structs import Struct, field, replace
from elasticquota.validation import chains, child_namespaces, guaranteed_use
from elasticquota.validation.change import Change
from elasticquota.validation.severity import USUAL, Validation
from elasticquota.wire.admission import patch, review
from elasticquota.wire.admission.review import AdmissionRequest, Response
from elasticquota.wire.codec.metadata import ObjectMeta
from elasticquota.wire.quota import equal_keys, quotas
from elasticquota_kube.client.api import ApiError
from elasticquota_webhooks.cache.caches import Caches
from elasticquota_webhooks.cache.live_placing import LivePlacing
from elasticquota_webhooks.cache.live_pods import LivePods
from elasticquota_webhooks.cache.live_quotas import LiveQuotas
from elasticquota_webhooks.handlers import edit_summary, passed_over
from elasticquota_webhooks.reviews import replies


log = structlog.get_logger(__name__)


class QuotaAdmission(Struct, frozen=True):
    """Judges and completes quotas: of users by ``validation``, of ``controller_user`` by shape."""

    caches: Caches
    live_quotas: LiveQuotas
    live_pods: LivePods
    live_placing: LivePlacing
    controller_user: str = ""
    validation: Validation = USUAL
    policy: Policy = field(default_factory=Policy)
    """The times of reclaim, for the summary of an edit."""

    async def default(self, request: AdmissionRequest) -> Response:
        """Fill in the parent and tree of a new quota, and the tree when an edit leaves it out."""
        if not request.is_write:
            return replies.allow(request)
        if not self.caches.filled:
            return replies.not_ready(request, "the quotas are still being read")
        # The schema has not been applied yet, so only the metadata is reliable.
        written = review.subject(request.object, quotas.QuotaManifest, "the quota")
        old = quotas.QuotaManifest()
        if request.operation == "UPDATE":
            old = review.subject(request.old_object, quotas.QuotaManifest, "the quota")
        meta, stored = written.metadata, old.metadata
        there = equal_keys.of(stored)
        before, _ = equal_keys.counting(there, equal_keys.differences(there, old.spec))
        follows = equal_keys.followed(equal_keys.of(meta), written.spec, there, old.spec)
        labels = {**(meta.labels or {}), **follows.keys.labels}
        await self._look_up(labels.get(names.PARENT), before.get(names.PARENT))
        if request.operation == "UPDATE":
            added = quota_defaults.kept(meta.name, labels, before)
        else:
            added = quota_defaults.labels(meta.name, labels, self.caches.membership().forest)
        annotated = dict(follows.keys.annotations)
        if mark := await self._mark(request, meta, labels, stored, before):
            annotated[names.PLACED_BELOW] = mark
        operations = patch.labels(meta.labels, {**follows.keys.labels, **added})
        operations += patch.annotations(meta.annotations, annotated)
        operations += patch.fields(follows.fields)
        return replies.allow(request, patch=operations)

    async def _look_up(self, parent: str | None, before: str | None) -> None:
        """Catch up for a new parent that is unknown here, as another replica may have let it in.

        Without it a quota below a quota that exists would be stored as one that waits.
        """
        if not parent or parent == before or parent in self.caches.membership().forest.quotas:
            return
        try:
            await self.live_quotas.catch_up()
        except (ApiError, TimeoutError) as error:
            log.warning("the parent is unknown here", error=str(error) or "no answer in time")

    async def _mark(
        self,
        request: AdmissionRequest,
        meta: ObjectMeta,
        labels: Mapping[str, str],
        stored: ObjectMeta,
        old_labels: Mapping[str, str],
    ) -> str:
        """What ``placed-below`` gets, which is kept while the parent stays; empty: nothing.

        ``labels`` and ``old_labels`` are those that count.
        """
        user = request.user_info
        if meta.name in names.RESERVED_QUOTAS or user.username == self.controller_user:
            return ""
        written = meta.annotation(names.PLACED_BELOW)
        parent = labels.get(names.PARENT) or names.ROOT_QUOTA
        old_parent = old_labels.get(names.PARENT)
        before = stored.annotation(names.PLACED_BELOW)
        if parent == before and parent == (old_parent or names.ROOT_QUOTA):
            return "" if written == before else before
        key, there = Key(request.namespace, meta.name), self.caches.membership().forest
        edited = old_labels if request.operation == "UPDATE" else None
        asked = quota_defaults.parent_to_ask(key, labels, edited, there)
        if not asked or written == asked:
            return ""
        try:
            needed = child_namespaces.permission(asked, there)
            permitted = await self.live_placing.below(msgspec.to_builtins(user), (needed,))
        except (ApiError, TimeoutError) as error:
            log.warning("cannot ask who may place quotas", error=str(error) or "no answer in time")
            return ""
        return asked if permitted else ""

    async def validate(self, request: AdmissionRequest) -> Response:
        """Judge a creation, an edit or a removal."""
        if request.sub_resource:
            return replies.allow(request)
        if not self.caches.filled:
            return replies.not_ready(request, "the quotas are still being read")
        stored = review.present(request.old_object, quotas.StoredQuota, "the quota")
        written = review.present(request.object, quotas.QuotaManifest, "the quota")
        old = None if stored is None else quotas.read(stored)
        new = None if written is None else quotas.read(written)
        quota = new or old
        if quota is None:
            raise review.ReviewError("the review has neither an object nor an oldObject")
        version = "" if stored is None else stored.metadata.resource_version
        change = Change(
            old,
            new,
            used=EMPTY if stored is None else quotas.used(stored),
            namespace_leaves=self.caches.leaving(quota.key.namespace),
            name_of_namespace=self.caches.is_namespace(quota.name),
        )
        if self.controller_user and request.user_info.username == self.controller_user:
            # The user name is only a claim, so the write is not remembered: it counts when the
            # watch shows it.
            return self._answer(request, change, version, chains.FOR_THE_CONTROLLER)
        if request.is_write:
            change = replace(change, size=request.size, old_size=request.old_size)
        return await self._by_users(request, change, version)

    async def _by_users(self, request: AdmissionRequest, change: Change, version: str) -> Response:
        if change.needs_pods:
            try:
                found, more = await self.live_pods.of(change.quota, self.caches.membership())
            except (ApiError, TimeoutError) as error:
                why = str(error) or "the API server did not answer in time"
                return replies.not_ready(request, f"the pods of the quota cannot be read ({why})")
            change = replace(change, pods=found, more_pods=more)
        if change.new is not None and change.moves:
            await self._look_up(change.new.parent, None)
        judge = partial(self._permitted, request, change, version)
        return await self.live_quotas.judged(self.caches, judge)

    async def _permitted(self, request: AdmissionRequest, change: Change, version: str) -> Response:
        """The answer, after the API server was asked where the user may place quotas."""
        parents = child_namespaces.asks(change, self.caches.membership().forest)
        try:
            user = msgspec.to_builtins(request.user_info)
            permitted = await self.live_placing.below(user, parents)
        except (ApiError, TimeoutError) as error:
            why = str(error) or "the API server did not answer in time"
            return replies.not_ready(request, f"your permissions cannot be read ({why})")
        return self._judged(request, replace(change, permitted=permitted), version)

    def _judged(self, request: AdmissionRequest, change: Change, version: str) -> Response:
        """The answer to a change by a user, from what this replica knows."""
        forest = self.caches.membership().forest
        if guaranteed_use.needs_use(change, forest):
            figures = self.caches.published.of(forest.quotas.values())
            used_by = {name: published.used for name, published in figures.items()}
            change = replace(change, used_by=used_by)
        return self._answer(request, change, version, chains.FOR_USERS)

    def _answer(
        self, request: AdmissionRequest, change: Change, version: str, stages: chains.Stages
    ) -> Response:
        forest = self.caches.membership().forest
        found = chains.judge(change, forest, self.validation, stages)
        counts = stages is chains.FOR_USERS and not request.dry_run and not change.means_nothing
        if counts and not found.refused:
            self.caches.remember(change.quota.key, change.new, version)
        if stages is chains.FOR_THE_CONTROLLER or found.refused:
            return replies.judged(request, names.QUOTA_KIND, change.quota.key, found)
        notes = (
            *passed_over.notes("quota", request),
            *edit_summary.of(change, forest, self.caches.published, self.policy),
        )
        return replies.judged(request, names.QUOTA_KIND, change.quota.key, found, notes)
