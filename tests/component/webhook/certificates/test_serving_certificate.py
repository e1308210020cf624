"""Mode self: the authorities in their Secret, the bundle in the configurations, the leaf served."""

import asyncio
import base64
from datetime import timedelta

import pytest
from cryptography import x509

import certificate_managers
from api_double import ApiDouble, Refusal, waiting
from certificate_managers import (
    CONFIGURATIONS,
    LINGER,
    MARGIN,
    NAME,
    NAMESPACE,
    SECRET,
    START,
    ManualClock,
    Replica,
)
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api, ApiError
from elasticquota_webhooks.certificates import (
    authority,
    authority_store,
    ca_rotation,
    serving_certificate,
    timing,
)
from elasticquota_webhooks.certificates.ca_bundle import Publisher


FOREIGN = authority.create(START)
OTHER: dict[str, str] = authority_store.manifest(
    ca_rotation.begin(START, timing.NORMAL), NAMESPACE, SECRET
)["data"]


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def replica(api: Api, double: ApiDouble, clock: ManualClock) -> Replica:
    """The first replica of a new installation."""
    certificate_managers.configure(double)
    return Replica(api, clock)


@pytest.fixture
def others(replica: Replica, api: Api, clock: ManualClock) -> list[Replica]:
    """More replicas."""
    return [Replica(api, clock) for _ in range(4)]


# Start


async def test_the_first_replica_creates_the_authority_and_is_trusted(
    replica: Replica, double: ApiDouble
) -> None:
    assert replica.manager.missing() == "no certificate yet"
    await replica.manager.reconcile()
    assert replica.manager.missing() == ""
    assert replica.manager.shown.is_set()
    assert set(certificate_managers.secret(double)) == {"ca.crt", "ca.key", "ca-bundle.crt"}
    assert certificate_managers.trusted(double) == [certificate_managers.authority_of(double)]
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
    assert len(certificate_managers.trusted(double)) == 1
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


# The bundle


async def test_an_emptied_bundle_is_filled_again(replica: Replica, double: ApiDouble) -> None:
    await replica.manager.reconcile()
    wanted = certificate_managers.trusted(double)
    certificate_managers.configure(double)
    assert certificate_managers.trusted(double) == []
    await replica.manager.reconcile()
    assert certificate_managers.trusted(double) == wanted


async def test_an_invalid_bundle_is_replaced(replica: Replica, double: ApiDouble) -> None:
    await replica.manager.reconcile()
    wanted = certificate_managers.trusted(double)
    certificate_managers.inject(
        double, b"-----BEGIN CERTIFICATE-----\nnonsense\n-----END CERTIFICATE-----\n"
    )
    await replica.manager.reconcile()
    assert certificate_managers.trusted(double) == wanted


async def test_the_patch_changes_only_the_configuration_that_was_read(
    replica: Replica, double: ApiDouble
) -> None:
    before = double.object(paths.MUTATING_WEBHOOKS, "", NAME)["metadata"]["resourceVersion"]
    await replica.manager.reconcile()
    (patch,) = [
        call.body for call in double.calls if call.method == "PATCH" and "mutating" in call.path
    ]
    assert [(each["op"], each["path"]) for each in patch] == [
        ("test", "/metadata/resourceVersion"),
        ("add", "/webhooks/0/clientConfig/caBundle"),
        ("add", "/webhooks/1/clientConfig/caBundle"),
        ("add", "/webhooks/0/clientConfig/service/path"),
        ("add", "/webhooks/1/clientConfig/service/path"),
    ]
    assert patch[0]["value"] == before


async def test_configurations_are_read_before_the_wanted_certificates(
    replica: Replica, double: ApiDouble
) -> None:
    await replica.manager.reconcile()
    double.calls.clear()
    await replica.manager.reconcile()
    assert [call.path.rsplit("/", 2)[-2] for call in double.calls] == [
        *(kind.plural for kind in CONFIGURATIONS),
        "secrets",
    ]


async def test_an_unwanted_authority_is_trusted_for_a_while_and_removed(
    replica: Replica, double: ApiDouble, clock: ManualClock
) -> None:
    await replica.manager.reconcile()
    (ours,) = certificate_managers.trusted(double)
    certificate_managers.inject(double, authority.pem(ours) + FOREIGN.bundle)
    await replica.manager.reconcile()
    clock.wait(LINGER - timedelta(seconds=1))
    await replica.manager.reconcile()
    assert set(certificate_managers.trusted(double)) == {ours, FOREIGN.certificate}
    clock.wait(timedelta(seconds=1))
    await replica.manager.reconcile()
    assert certificate_managers.trusted(double) == [ours]


async def test_the_authority_of_another_release_is_kept_during_a_rollout(
    replica: Replica, double: ApiDouble
) -> None:
    certificate_managers.inject(double, FOREIGN.bundle)
    await replica.manager.reconcile()
    assert FOREIGN.certificate in certificate_managers.trusted(double)
    assert replica.is_accepted(double)


# The leaf


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


# The authority


async def to_the_renewal(clock: ManualClock, *replicas: Replica) -> None:
    """Advance to the end of the authority's first two thirds, with young leaves."""
    await reconcile(*replicas)
    clock.wait(timedelta(days=240))
    await reconcile(*replicas)
    clock.wait(timedelta(days=4))


async def reconcile(*replicas: Replica) -> None:
    for each in replicas:
        await each.manager.reconcile()


async def test_an_authority_signs_no_leaf_before_the_margin_has_passed(
    replica: Replica, others: list[Replica], double: ApiDouble, clock: ManualClock
) -> None:
    newcomer, *others = others
    await to_the_renewal(clock, replica, *others)
    old = certificate_managers.authority_of(double)
    leaf = replica.leaf
    await reconcile(replica)
    new = certificate_managers.authority_of(double, "coming")
    assert certificate_managers.trusted(double) == [new, old]
    # The other replicas find the bundle in place, but API servers may not know it yet.
    await reconcile(*others, newcomer)
    clock.wait(MARGIN - timedelta(seconds=1))
    await reconcile(replica, *others, newcomer)
    assert replica.leaf == leaf
    for each in (*others, newcomer):
        assert certificate_managers.signed(each.leaf, by=old)
    clock.wait(timedelta(seconds=1))
    await reconcile(replica, *others, newcomer)
    assert certificate_managers.trusted(double) == [new, old]
    for each in (replica, *others, newcomer):
        assert certificate_managers.signed(each.leaf, by=new)


async def test_the_margin_begins_again_when_the_bundle_was_wiped(
    replica: Replica, double: ApiDouble, clock: ManualClock
) -> None:
    await to_the_renewal(clock, replica)
    leaf = replica.leaf
    await reconcile(replica)
    clock.wait(MARGIN / 2)
    certificate_managers.configure(double)
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
    former = certificate_managers.authority_of(double, "former")
    for _ in range(6):
        clock.wait(timedelta(days=1))
        await reconcile(replica)
        assert former in certificate_managers.trusted(double)
    clock.wait(timedelta(days=1))
    await reconcile(replica)
    clock.wait(LINGER)
    await reconcile(replica)
    assert certificate_managers.trusted(double) == [certificate_managers.authority_of(double)]
    assert set(certificate_managers.secret(double)) == {"ca.crt", "ca.key", "ca-bundle.crt"}


async def test_an_older_wish_never_overwrites_a_newer_one(
    replica: Replica, api: Api, double: ApiDouble, clock: ManualClock
) -> None:
    await reconcile(replica)
    old = certificate_managers.trusted(double)
    slow = Publisher(api, NAME, monotonic=clock.monotonic)
    await slow.read()
    certificate_managers.inject(double, FOREIGN.bundle)
    await slow.publish((*old, authority.create(START).certificate), START)
    assert certificate_managers.trusted(double) == [FOREIGN.certificate]


# Faults


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param({}, id="emptied"),
        pytest.param({"ca.crt": "!", "ca.key": "x", "ca-bundle.crt": ""}, id="garbage"),
        pytest.param({"ca.key": base64.b64encode(b"no key").decode()}, id="no key"),
        pytest.param({"ca-bundle.crt": ""}, id="no bundle"),
        pytest.param({"ca-bundle.crt": OTHER["ca-bundle.crt"]}, id="the bundle of another"),
        pytest.param({"ca.key": OTHER["ca.key"]}, id="the key of another"),
        pytest.param({"coming.crt": "IQ==", "coming.key": "IQ=="}, id="a successor that is none"),
        pytest.param({"former.crt": OTHER["ca.crt"]}, id="a former one without its time"),
    ],
)
async def test_a_damaged_secret_is_repaired_and_no_call_fails(
    replica: Replica, api: Api, double: ApiDouble, clock: ManualClock, damage: dict[str, str]
) -> None:
    await reconcile(replica)
    certificate_managers.edit_secret(double, lambda data: data | damage if damage else {})
    newcomer = Replica(api, clock)
    for _ in range(4):
        await reconcile(replica)
        assert replica.is_accepted(double)
        await reconcile(newcomer)
        assert newcomer.is_accepted(double)
        clock.wait(MARGIN / 2)
    assert certificate_managers.signed(newcomer.leaf, by=certificate_managers.authority_of(double))
    assert set(
        certificate_managers.pems(certificate_managers.secret(double)["ca-bundle.crt"])
    ) <= set(certificate_managers.trusted(double))
    assert certificate_managers.authority_of(double) in certificate_managers.pems(
        certificate_managers.secret(double)["ca-bundle.crt"]
    )
    assert replica.manager.problem == ""


async def test_a_deleted_secret_means_a_new_authority_and_no_call_fails(
    replica: Replica, double: ApiDouble, clock: ManualClock
) -> None:
    await reconcile(replica)
    old = certificate_managers.authority_of(double)
    double.remove(paths.SECRETS, NAMESPACE, SECRET)
    await reconcile(replica)
    assert certificate_managers.authority_of(double) == old
    coming = certificate_managers.authority_of(double, "coming")
    clock.wait(MARGIN)
    await reconcile(replica)
    assert certificate_managers.authority_of(double) == coming
    assert certificate_managers.signed(replica.leaf, by=coming)


async def test_the_empty_secret_of_the_chart_is_filled(replica: Replica, double: ApiDouble) -> None:
    made = {"name": SECRET, "namespace": NAMESPACE, "labels": {"chart": "ours"}}
    double.put(paths.SECRETS, {"metadata": made, "type": "Opaque"})
    await reconcile(replica)
    assert set(certificate_managers.secret(double)) == {"ca.crt", "ca.key", "ca-bundle.crt"}
    assert double.object(paths.SECRETS, NAMESPACE, SECRET)["metadata"]["labels"] == made["labels"]
    assert not [call for call in double.calls if call.method == "POST" and "secrets" in call.path]
    assert replica.is_accepted(double)


async def test_a_missing_secret_that_may_not_be_created_is_reported_and_no_call_fails(
    replica: Replica, double: ApiDouble
) -> None:
    await reconcile(replica)
    leaf = replica.leaf
    double.remove(paths.SECRETS, NAMESPACE, SECRET)
    double.faults.answer(Refusal(403, "Forbidden", "no"), times=9, method="POST", path="secrets")
    await reconcile(replica)
    assert replica.manager.problem == (
        f"Secret {SECRET} does not exist: install the chart again, which makes it"
    )
    assert (replica.leaf, replica.manager.missing()) == (leaf, "")
    assert replica.is_accepted(double)


async def test_an_unrelated_new_secret_is_followed_and_no_call_fails(
    replica: Replica, api: Api, double: ApiDouble, clock: ManualClock
) -> None:
    await reconcile(replica)
    double.remove(paths.SECRETS, NAMESPACE, SECRET)
    stranger = Replica(api, clock)
    await reconcile(stranger)
    assert replica.is_accepted(double)
    assert stranger.is_accepted(double)
    leaf = replica.leaf
    await reconcile(replica)
    assert replica.leaf == leaf, "left before the new authority had stood for the margin"
    clock.wait(MARGIN)
    await reconcile(replica)
    assert certificate_managers.signed(replica.leaf, by=certificate_managers.authority_of(double))
    assert replica.is_accepted(double)


async def test_secret_deleted_bundle_wiped_and_all_restarted_recovers_in_one_check(
    replica: Replica, api: Api, double: ApiDouble, clock: ManualClock
) -> None:
    await reconcile(replica)
    double.remove(paths.SECRETS, NAMESPACE, SECRET)
    certificate_managers.configure(double)
    restarted = Replica(api, clock)
    await reconcile(restarted)
    assert restarted.manager.missing() == ""
    assert restarted.is_accepted(double)


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
    assert authority.is_fresh(certificate_managers.authority_of(double), clock.now())


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
