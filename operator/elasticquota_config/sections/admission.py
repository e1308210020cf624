"""The section of admission: how long pods wait, and which are refused."""

from typing import Annotated

from msgspec import Meta

from elasticquota_config.fields.section import Section


class AdmissionSection(Section, frozen=True):
    """Time limits for waiting pods."""

    head_of_line_seconds: Annotated[int, Meta(ge=0, le=86400)] = 300
    """Seconds at the head of the queue after which no pod overtakes a pod that could fit; 0: small
    pods always overtake."""
    unschedulable_timeout_seconds: Annotated[int, Meta(ge=0, le=86400)] = 300
    """Seconds without a node after which an admitted pod no longer counts as request; 0: it always
    counts."""
    refuse_at_creation: bool = False
    """True, as Koordinator's `EnableQuotaAdmission`: a new pod is refused where it and what its
    quota asks for exceed the annotation `admission`, or max without one; false: it waits."""
