"""The authority of mode self is replaced in time: new first, then trusted, then signing."""

from datetime import timedelta

import pytest

import certificate_managers as managers
from api_double import ApiDouble, Refusal
from certificate_managers import (
    FOREIGN,
    LINGER,
    MARGIN,
    NAME,
    START,
    ManualClock,
    Replica,
    reconcile,
)
from elasticquota_kube.client.api import Api, ApiError
from elasticquota_webhooks.certificates import authority
from elasticquota_webhooks.certificates.ca_bundle import Publisher


async def to_the_renewal(clock: ManualClock, *replicas: Replica) -> None:
    """Advance to the end of the authority's first two thirds, with young leaves."""
    await reconcile(*replicas)
    clock.wait(timedelta(days=240))
    await reconcile(*replicas)
    clock.wait(timedelta(days=4))


async def test_an_authority_signs_no_leaf_before_the_margin_has_passed(
    replica: Replica, others: list[Replica], double: ApiDouble, clock: ManualClock
) -> None:
    newcomer, *others = others
    await to_the_renewal(clock, replica, *others)
    old = managers.authority_of(double)
    leaf = replica.leaf
    await reconcile(replica)
    new = managers.authority_of(double, "coming")
    assert managers.trusted(double) == [new, old]
    # The other replicas find the bundle in place, but API servers may not know it yet.
    await reconcile(*others, newcomer)
    clock.wait(MARGIN - timedelta(seconds=1))
    await reconcile(replica, *others, newcomer)
    assert replica.leaf == leaf
    for each in (*others, newcomer):
        assert managers.signed(each.leaf, by=old)
    clock.wait(timedelta(seconds=1))
    await reconcile(replica, *others, newcomer)
    assert managers.trusted(double) == [new, old]
    for each in (replica, *others, newcomer):
        assert managers.signed(each.leaf, by=new)


async def test_the_margin_begins_again_when_the_bundle_was_wiped(
    replica: Replica, double: ApiDouble, clock: ManualClock
) -> None:
    await to_the_renewal(clock, replica)
    leaf = replica.leaf
    await reconcile(replica)
    clock.wait(MARGIN / 2)
    managers.configure(double)
    await reconcile(replica)
    clock.wait(MARGIN / 2)
    await reconcile(replica)
    assert replica.leaf == leaf
    clock.wait(MARGIN / 2)
    await reconcile(replica)
    assert replica.leaf != leaf


async def test_the_margin_needs_both_configurations(
    replica: Replica, double: ApiDouble, clock: ManualClock
) -> None:
    await to_the_renewal(clock, replica)
    leaf = replica.leaf
    double.faults.answer(Refusal(403, "Forbidden", "no"), times=2, method="PATCH", path="validat")
    for _ in range(2):
        with pytest.raises(ApiError):
            await reconcile(replica)
        clock.wait(MARGIN)
    await reconcile(replica)
    assert replica.leaf == leaf
    clock.wait(MARGIN)
    await reconcile(replica)
    assert replica.leaf != leaf


async def test_the_former_authority_is_trusted_until_its_leaves_have_expired(
    replica: Replica, double: ApiDouble, clock: ManualClock
) -> None:
    await to_the_renewal(clock, replica)
    await reconcile(replica)
    clock.wait(MARGIN)
    await reconcile(replica)
    former = managers.authority_of(double, "former")
    for _ in range(6):
        clock.wait(timedelta(days=1))
        await reconcile(replica)
        assert former in managers.trusted(double)
    clock.wait(timedelta(days=1))
    await reconcile(replica)
    clock.wait(LINGER)
    await reconcile(replica)
    assert managers.trusted(double) == [managers.authority_of(double)]
    assert set(managers.secret(double)) == {"ca.crt", "ca.key", "ca-bundle.crt"}


async def test_an_older_wish_never_overwrites_a_newer_one(
    replica: Replica, api: Api, double: ApiDouble, clock: ManualClock
) -> None:
    await reconcile(replica)
    old = managers.trusted(double)
    slow = Publisher(api, NAME, monotonic=clock.monotonic)
    await slow.read()
    managers.inject(double, FOREIGN.bundle)
    await slow.publish((*old, authority.create(START).certificate), START)
    assert managers.trusted(double) == [FOREIGN.certificate]
