"""Makes field and key of a profile equal; refuses one whose tree is not accepted or has quotas.

Webhook down: the failure policy is Fail, so no profile is created, changed or deleted until a
replica is back; existing trees go on. Stale cache: a profile created a moment ago may be unknown
here, and a quota deleted a moment ago known, so this replica catches up with the API server before
it refuses a deletion. Races: two profiles of one name or tree can both pass; the controller gives
the tree to the older one and reports this on the other. Otherwise at most one live read, of nodes.
If it fails, the profile passes with a warning: nodes change on their own, so the controller decides
which tree they belong to anyway.
"""

from functools import partial

import msgspec

from elasticquota import names
from elasticquota.forest.violation import Violation
from elasticquota.model.profile import Profile
from elasticquota.structs import Struct, replace
from elasticquota.validation import chains
from elasticquota.validation.profile_change import ProfileChange
from elasticquota.validation.severity import USUAL, Validation
from elasticquota.wire.admission import patch, review
from elasticquota.wire.admission.review import AdmissionRequest, Response
from elasticquota.wire.quota import equal_keys, profiles
from elasticquota_kube.client.api import ApiError
from elasticquota_webhooks.cache.caches import Caches
from elasticquota_webhooks.cache.live_nodes import LiveNodes
from elasticquota_webhooks.cache.live_quotas import LiveQuotas
from elasticquota_webhooks.handlers import edit_summary, passed_over
from elasticquota_webhooks.reviews import replies


class ProfileAdmission(Struct, frozen=True):
    """Judges profiles by ``validation``, whichever user writes them."""

    caches: Caches
    live_quotas: LiveQuotas
    live_nodes: LiveNodes
    validation: Validation = USUAL

    async def default(self, request: AdmissionRequest) -> Response:
        """Make the field or the key that did not change follow the other one."""
        if not request.is_write:
            return replies.allow(request)
        written = review.subject(request.object, profiles.ProfileManifest, "the profile")
        stored = review.present(request.old_object, profiles.ProfileManifest, "the profile")
        old = profiles.ProfileManifest() if stored is None else stored
        follows = equal_keys.followed(
            equal_keys.of(written.metadata),
            written.spec,
            equal_keys.of(old.metadata),
            old.spec,
            equal_keys.PROFILE,
        )
        operations = patch.annotations(written.metadata.annotations, follows.keys.annotations)
        return replies.allow(request, patch=operations + patch.fields(follows.fields))

    async def validate(self, request: AdmissionRequest) -> Response:
        """Judge a creation, an edit or a deletion."""
        if request.operation != "DELETE" and not request.is_write:
            return replies.allow(request)
        if not self.caches.filled:
            return replies.not_ready(request, "the profiles are still being read")
        if request.operation == "DELETE":
            return await self._removal(request)
        new = _profile(request.object)
        if new is None:
            raise review.ReviewError("the review has no object")
        stored = self.caches.profiles.values
        others = [other for key, other in sorted(stored.items()) if key != new.key]
        change = ProfileChange(
            _profile(request.old_object),
            new,
            others,
            size=request.size,
            old_size=request.old_size,
        )
        unread: list[Violation] = []
        if change.needs_nodes:
            try:
                shared = await self.live_nodes.shared(new, others)
                change = replace(change, overlaps=shared)
            except (ApiError, TimeoutError) as error:
                unread.append(_unread(str(error) or "the API server did not answer in time"))
        forest = self.caches.membership().forest
        findings = chains.judge_profile(change, forest, self.validation)
        findings = replace(findings, warned=(*findings.warned, *unread))
        notes = (
            *passed_over.notes("profile", request),
            *edit_summary.of_profile(change, forest, self.caches.published),
        )
        return replies.judged(request, names.PROFILE_KIND, new.key, findings, notes)

    async def _removal(self, request: AdmissionRequest) -> Response:
        old = _profile(request.old_object)
        if old is None:
            raise review.ReviewError("the review has no oldObject")
        return await self.live_quotas.judged(
            self.caches, partial(self._judged_removal, request, old)
        )

    async def _judged_removal(self, request: AdmissionRequest, old: Profile) -> Response:
        found = chains.judge_profile_removal(
            old,
            self.caches.membership().forest,
            self.validation,
            namespace_leaves=self.caches.leaving(old.key.namespace),
        )
        return replies.judged(request, names.PROFILE_KIND, old.key, found)


def _profile(content: msgspec.Raw) -> Profile | None:
    """The profile, or None where the review has null."""
    manifest = review.present(content, profiles.ProfileManifest, "the profile")
    return None if manifest is None else profiles.read(manifest)


def _unread(why: str) -> Violation:
    message = f"other profiles may select some of the same nodes; these cannot be read ({why})"
    return Violation("EP1202-overlap", "spec.nodeSelector", message)
