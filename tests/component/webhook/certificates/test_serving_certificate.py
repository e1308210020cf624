"""Mode self: the authorities in their Secret, the bundle in the configurations, the leaf served."""

import asyncio
from datetime import timedelta

import pytest
from cryptography import x509

import certificate_managers as managers
from api_double import ApiDouble, Refusal, waiting
from certificate_managers import NAMESPACE, START, ManualClock, Replica, reconcile
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api, ApiError
from elasticquota_webhooks.certificates import authority, serving_certificate


async def test_the_first_replica_creates_the_authority_and_is_trusted(
    replica: Replica, double: ApiDouble
) -> None:
    assert replica.manager.missing() == "no certificate yet"
    await replica.manager.reconcile()
    assert replica.manager.missing() == ""
    assert replica.manager.shown.is_set()
    assert set(managers.secret(double)) == {"ca.crt", "ca.key", "ca-bundle.crt"}
    assert managers.trusted(double) == [managers.authority_of(double)]
    assert replica.is_accepted(double)


async def test_the_leaf_names_the_service_and_lives_a_week(replica: Replica) -> None:
    await replica.manager.reconcile()
    leaf = replica.leaf.certificate
    names = leaf.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == [
        "elastic-quota-webhook.elastic-quota-system",
        "elastic-quota-webhook.elastic-quota-system.svc",
        "elastic-quota-webhook.elastic-quota-system.svc.cluster.local",
    ]
    assert leaf.not_valid_before_utc == START - timedelta(hours=1)
    assert leaf.not_valid_after_utc == START + timedelta(days=7)


async def test_replicas_that_start_together_share_one_authority(
    replica: Replica, others: list[Replica], double: ApiDouble
) -> None:
    await asyncio.gather(*(each.manager.reconcile() for each in (replica, *others)))
    for each in others:
        await each.manager.reconcile()
    assert len(managers.trusted(double)) == 1
    assert all(each.is_accepted(double) for each in (replica, *others))
    assert len({each.leaf for each in others}) == 4


async def test_a_check_without_changes_writes_nothing(replica: Replica, double: ApiDouble) -> None:
    await replica.manager.reconcile()
    double.calls.clear()
    await replica.manager.reconcile()
    assert {call.method for call in double.calls} == {"GET"}


async def test_without_configurations_the_replica_is_not_ready(
    api: Api, double: ApiDouble, clock: ManualClock
) -> None:
    double.put(paths.NAMESPACES, {"metadata": {"name": NAMESPACE}})
    lonely = Replica(api, clock)
    with pytest.raises(ApiError) as refused:
        await lonely.manager.reconcile()
    assert refused.value.is_not_found
    assert lonely.manager.missing() == "no certificate yet"


async def test_a_leaf_never_outlives_its_authority() -> None:
    signer = authority.create(START - timedelta(days=364))
    leaf = serving_certificate.issue(signer, ("a",), START).certificate
    assert leaf.not_valid_after_utc == signer.certificate.not_valid_after_utc


async def test_a_leaf_is_renewed_after_two_thirds_of_its_life(
    replica: Replica, clock: ManualClock
) -> None:
    await replica.manager.reconcile()
    first = replica.leaf
    clock.wait(timedelta(days=4))
    await replica.manager.reconcile()
    assert replica.leaf == first
    clock.wait(timedelta(days=1))
    await replica.manager.reconcile()
    assert replica.leaf != first
    assert replica.leaf.certificate.not_valid_after_utc == START + timedelta(days=12)


async def test_a_renewal_waits_for_the_api_server_and_catches_up(
    replica: Replica, double: ApiDouble, clock: ManualClock
) -> None:
    await replica.manager.reconcile()
    first = replica.leaf
    clock.wait(timedelta(days=6))
    double.faults.answer(Refusal(500, "InternalError", "no"), times=1)
    with pytest.raises(ApiError):
        await replica.manager.reconcile()
    assert (replica.leaf, replica.manager.missing()) == (first, "")
    await replica.manager.reconcile()
    assert replica.leaf != first


async def test_a_replica_that_cannot_read_keeps_its_leaf_while_that_is_valid(
    replica: Replica, double: ApiDouble, clock: ManualClock
) -> None:
    await replica.manager.reconcile()
    leaf = replica.leaf
    double.faults.answer(Refusal(403, "Forbidden", "no"), times=9)
    with pytest.raises(ApiError):
        await replica.manager.reconcile()
    assert (replica.leaf, replica.manager.missing()) == (leaf, "")
    clock.wait(timedelta(days=8))
    assert replica.manager.missing() == ("the certificate has expired: a new one is on its way")


@pytest.mark.parametrize("days", [8, 200, 366, 4000])
async def test_a_replica_that_was_frozen_recovers_in_one_check(
    replica: Replica, double: ApiDouble, clock: ManualClock, days: int
) -> None:
    await reconcile(replica)
    clock.wait(timedelta(days=days))
    assert "the certificate has expired" in replica.manager.missing()
    await reconcile(replica)
    assert replica.manager.missing() == ""
    assert replica.leaf.is_valid(clock.now())
    assert replica.is_accepted(double)


@pytest.mark.parametrize(
    "hours",
    [-96_000, -24, -1, -1 / 12, 1 / 12, 1, 192, 8_784, 96_000],
    ids=lambda by: f"{by:.1f} h",
)
async def test_a_14_a_step_of_the_api_servers_clock_is_followed_in_one_check(
    replica: Replica, others: list[Replica], double: ApiDouble, clock: ManualClock, hours: float
) -> None:
    await reconcile(replica, *others)
    clock.step(timedelta(hours=hours))
    await reconcile(replica, *others)
    await reconcile(replica, *others)
    for each in (replica, *others):
        assert each.leaf.is_valid(clock.now())
        assert each.is_accepted(double)
        assert each.manager.missing() == ""
    assert authority.is_fresh(managers.authority_of(double), clock.now())


async def test_a_problem_is_logged_once_and_reported_until_it_is_over(
    replica: Replica, double: ApiDouble
) -> None:
    double.faults.answer(Refusal(403, "Forbidden", "no rights"), times=1)
    task = asyncio.create_task(replica.manager.run())
    await waiting.until(lambda: "403 Forbidden: no rights" in replica.manager.problem)
    assert replica.manager.missing() == ("no trusted certificate yet: 403 Forbidden: no rights")
    task.cancel()
    await reconcile(replica)
    assert (replica.manager.problem, replica.manager.missing()) == ("", "")
