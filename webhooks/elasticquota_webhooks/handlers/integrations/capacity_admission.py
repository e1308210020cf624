"""Refuses an ElasticQuota of capacity scheduling that says what cannot be (C2, C5).

An edit that adds no fault passes, so a quota that was stored before stays editable.

Webhook down: the failure policy is Ignore, so the quota is stored; the controller follows what it
can of it and reports the rest in its condition. Stale cache: none, the quotas of the namespace are
read when a new one comes. Races: two created at the same time may both be stored; the older one
counts, and the other says so.
"""

from elasticquota import names
from elasticquota.integrations import capacity_rules
from elasticquota.structs import Struct
from elasticquota.wire.admission import review
from elasticquota.wire.admission.review import AdmissionRequest, Response
from elasticquota.wire.codec.metadata import SpecManifest
from elasticquota.wire.integrations import capacity_quotas
from elasticquota_kube.client.api import ApiError
from elasticquota_webhooks.cache.live_capacity_quotas import LiveCapacityQuotas
from elasticquota_webhooks.reviews import replies


class CapacityAdmission(Struct, frozen=True):
    """Judges quotas of capacity scheduling."""

    live_quotas: LiveCapacityQuotas

    async def validate(self, request: AdmissionRequest) -> Response:
        """Judge a new or edited quota."""
        if not request.is_write:
            return replies.allow(request)
        new = capacity_quotas.read(review.subject(request.object, SpecManifest, "the quota"))
        stored = review.present(request.old_object, SpecManifest, "the quota")
        old = None if stored is None else capacity_quotas.read(stored)
        faults = capacity_rules.added(new, old)
        unread: list[str] = []
        if old is None and request.namespace:
            try:
                others = await self.live_quotas.of(request.namespace)
                faults += capacity_rules.second(new, others)
            except (ApiError, TimeoutError) as error:
                why = str(error) or "the API server did not answer in time"
                unread.append(f"whether the namespace has a quota already cannot be read ({why})")
        if faults:
            return replies.refuse_document(request, names.CAPACITY_KIND, new.key, faults)
        return replies.allow(request, notes=unread)
