"""Rotates the certificate authority, so that the API server trusts every certificate in use.

A rotation has three steps, and each is stored before it is taken. The coming authority enters the
bundle. Once all API servers trust it, it becomes the current one and starts to sign. The former one
stays in the bundle for one more ``leaf_life``. A replica that joins or starts in the middle signs
with the current one. Pure: the trusted certificates and the time are arguments.
"""

from collections.abc import Container
from datetime import datetime

from cryptography import x509

from elasticquota import structs
from elasticquota.structs import Struct
from elasticquota_webhooks.certificates import authority
from elasticquota_webhooks.certificates.authority import Authority
from elasticquota_webhooks.certificates.timing import Timing


class FormerAuthority(Struct, frozen=True):
    """An authority that no longer signs."""

    certificate: x509.Certificate
    until: datetime
    """When the last leaf that it may have signed expires."""


class CaRotation(Struct, frozen=True):
    """The authorities that sign now, will sign next and signed before."""

    current: Authority
    coming: Authority | None = None
    former: FormerAuthority | None = None

    @property
    def trusted(self) -> tuple[x509.Certificate, ...]:
        """The certificates that have to be in the bundle."""
        coming = () if self.coming is None else (self.coming.certificate,)
        former = () if self.former is None else (self.former.certificate,)
        return (self.current.certificate, *coming, *former)


def begin(now: datetime, times: Timing) -> CaRotation:
    """The first authority: it signs at once, because there is no trust yet that could be lost."""
    return CaRotation(authority.create(now, times))


def renew(known: CaRotation, now: datetime, times: Timing) -> CaRotation:
    """``known`` with a coming authority, however young the current one is."""
    if known.coming is not None:
        return known
    return structs.replace(known, coming=authority.create(now, times))


def advance(
    known: CaRotation, now: datetime, steady: Container[x509.Certificate], times: Timing
) -> CaRotation:
    """Take the steps that are due; ``steady`` are certificates that all API servers trust by now.

    Returns an equal value when nothing is due. An authority outside its validity protects nothing
    any more, so it is replaced at once. There is at most one former authority: the next rotation
    waits until the former one's time is over.
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
        return CaRotation(
            coming, former=FormerAuthority(known.current.certificate, now + times.leaf_life)
        )
    return CaRotation(known.current, coming, former)
