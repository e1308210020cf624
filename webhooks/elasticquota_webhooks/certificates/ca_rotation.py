"""An authority signs only after it has been trusted for a while, and is trusted until its last leaf
has ended.

So a change of authority has three steps, each stored before it is taken: the coming one enters the
bundle; once it is trusted for certain it becomes the current one, and only then signs; the former
one stays in the bundle for one more life of a leaf. Whoever comes in the middle, or starts then,
signs with the current one. Pure: what is trusted and what time it is are arguments.
"""

import dataclasses
from collections.abc import Container
from dataclasses import dataclass
from datetime import datetime

from cryptography import x509

from elasticquota_webhooks.certificates import authority
from elasticquota_webhooks.certificates.authority import Authority
from elasticquota_webhooks.certificates.timing import Timing


@dataclass(frozen=True, slots=True)
class Former:
    """An authority that signs no more."""

    certificate: x509.Certificate
    until: datetime
    """When the last leaf that it may have signed has ended."""


@dataclass(frozen=True, slots=True)
class CaRotation:
    """Who signs, who will, who did."""

    current: Authority
    coming: Authority | None = None
    former: Former | None = None

    @property
    def trusted(self) -> tuple[x509.Certificate, ...]:
        """What has to stand in the bundle."""
        coming = () if self.coming is None else (self.coming.certificate,)
        former = () if self.former is None else (self.former.certificate,)
        return (self.current.certificate, *coming, *former)


def begin(now: datetime, times: Timing) -> CaRotation:
    """The first authority: it signs at once, as nothing is trusted that could be lost."""
    return CaRotation(authority.create(now, times))


def renew(known: CaRotation, now: datetime, times: Timing) -> CaRotation:
    """The same with a successor named, however young the current authority is."""
    if known.coming is not None:
        return known
    return dataclasses.replace(known, coming=authority.create(now, times))


def advance(
    known: CaRotation, now: datetime, steady: Container[x509.Certificate], times: Timing
) -> CaRotation:
    """What is due: ``steady`` are certificates that the API servers trust for certain.

    Returns an equal value when nothing is. An authority that is outside its life protects nothing
    any more, so its replacement waits for nothing. There is at most one former authority: the next
    change waits until its time is over.
    """
    former, coming = known.former, known.coming
    if former is not None and (
        now >= former.until or now >= former.certificate.not_valid_after_utc
    ):
        former = None
    if coming is not None and not authority.is_fresh(coming.certificate, now):
        coming = None
    if not authority.is_valid(known.current.certificate, now):
        return begin(now, times) if coming is None else CaRotation(coming)
    if coming is None and not authority.is_fresh(known.current.certificate, now):
        coming = authority.create(now, times)
    if coming is not None and former is None and coming.certificate in steady:
        return CaRotation(coming, former=Former(known.current.certificate, now + times.leaf_life))
    return CaRotation(known.current, coming, former)
