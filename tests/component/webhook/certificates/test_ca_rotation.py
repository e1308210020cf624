"""The order in which authorities come, sign and go; trust and time are arguments."""

from datetime import UTC, datetime, timedelta

import pytest

from elasticquota_webhooks.certificates import authority, ca_rotation
from elasticquota_webhooks.certificates.ca_rotation import CaRotation
from elasticquota_webhooks.certificates.timing import Timing


START = datetime(2026, 1, 1, tzinfo=UTC)
TIMES = Timing(
    authority_life=timedelta(days=300), leaf_life=timedelta(days=6), skew=timedelta(hours=1)
)
RENEWAL = START + timedelta(days=200)
FIRST = ca_rotation.begin(START, TIMES)


def named(known: CaRotation = FIRST, now: datetime = RENEWAL) -> CaRotation:
    """The same rotation with a coming authority."""
    return ca_rotation.renew(known, now, TIMES)


def promoted(now: datetime = RENEWAL) -> CaRotation:
    """The rotation after the coming authority has become the current one."""
    known = named(now=now)
    assert known.coming is not None
    return ca_rotation.advance(known, now, {known.coming.certificate}, TIMES)


@pytest.mark.parametrize("days", [0, 100, 199])
def test_nothing_is_due_in_the_first_two_thirds_of_its_life(days: int) -> None:
    assert ca_rotation.advance(FIRST, START + timedelta(days=days), (), TIMES) == FIRST


def test_the_former_authority_is_dropped_when_its_last_leaf_has_expired() -> None:
    known = promoted()
    last = RENEWAL + TIMES.leaf_life
    assert ca_rotation.advance(known, last - timedelta(seconds=1), (), TIMES) == known
    assert ca_rotation.advance(known, last, (), TIMES) == CaRotation(known.current)


def test_the_former_authority_is_dropped_when_it_has_expired() -> None:
    late = START + timedelta(days=299)
    known = promoted(late)
    assert known.former is not None
    assert ca_rotation.advance(known, late + timedelta(days=1), (), TIMES).former is None


def test_a_rotation_waits_until_the_previous_one_is_over() -> None:
    known = named(promoted(), RENEWAL)
    assert known.coming is not None
    steady = {known.coming.certificate}
    assert ca_rotation.advance(known, RENEWAL, steady, TIMES) == known
    after = ca_rotation.advance(known, RENEWAL + TIMES.leaf_life, steady, TIMES)
    assert after.current == known.coming
    assert after.former is not None
    assert after.former.certificate == known.current.certificate


def test_a_coming_authority_that_has_waited_too_long_is_replaced() -> None:
    known = named(now=START)
    later = START + timedelta(days=250)
    after = ca_rotation.advance(known, later, (), TIMES)
    assert after.current == FIRST.current
    assert after.coming not in (None, known.coming)


def test_an_expired_authority_is_replaced_by_the_coming_one_at_once() -> None:
    known = named()
    expired = START + timedelta(days=301)
    assert known.coming is not None
    assert ca_rotation.advance(known, expired, (), TIMES) == CaRotation(known.coming)


@pytest.mark.parametrize("days", [-1, 301, 10_000], ids=lambda days: f"{days} days")
def test_an_authority_outside_its_validity_is_replaced_at_once(days: int) -> None:
    now = START + timedelta(days=days)
    after = ca_rotation.advance(FIRST, now, (), TIMES)
    assert authority.is_fresh(after.current.certificate, now)
    assert after == CaRotation(after.current)


def test_only_one_coming_authority_is_added() -> None:
    known = named()
    assert named(known) is known
