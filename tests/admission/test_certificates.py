"""The authority in its Secret, the bundle in the configurations, the leaf in the server."""

import asyncio
import base64
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from cryptography import x509

from api_double import ApiDouble, Refusal
from elasticquota_kube import paths
from elasticquota_kube.api import Api, ApiError
from elasticquota_webhooks import authority, certificates
from elasticquota_webhooks.authority import Authority, AuthorityStore
from elasticquota_webhooks.bundle import Publisher
from elasticquota_webhooks.certificates import Certificate
from elasticquota_webhooks.keeper import Keeper


NAMESPACE, SECRET, NAME = (
    "elastic-quota-system",
    "elastic-quota-webhook-ca",
    "elastic-quota-webhook",
)
CONFIGURATIONS = (paths.MUTATING_WEBHOOKS, paths.VALIDATING_WEBHOOKS)
START = datetime(2026, 1, 1, tzinfo=UTC)


class Replica:
    """One keeper with a clock to turn."""

    def __init__(self, api: Api) -> None:
        self.now = START
        self.certificate = Certificate()
        self.keeper = Keeper(
            AuthorityStore(api, NAMESPACE, SECRET),
            Publisher(api, NAME),
            self.certificate,
            certificates.service_names("elastic-quota-webhook", NAMESPACE),
            now=lambda: self.now,
        )

    @property
    def leaf(self) -> x509.Certificate:
        assert self.certificate.leaf is not None
        return self.certificate.leaf.certificate

    @property
    def signer(self) -> x509.Certificate:
        assert self.certificate.leaf is not None
        return self.certificate.leaf.signer


@pytest.fixture
def replica(api: Api, double: ApiDouble) -> Replica:
    """The first replica of a fresh installation."""
    configure(double)
    return Replica(api)


def configure(double: ApiDouble) -> None:
    """The chart's configurations, without any bundle."""
    double.put(paths.NAMESPACES, {"metadata": {"name": NAMESPACE}})
    for resource, webhooks in zip(CONFIGURATIONS, (("quota", "pod"), ("quota",)), strict=True):
        entries = [
            {
                "name": f"{webhook}.elasticquota.dev",
                "clientConfig": {"service": {"name": NAME, "namespace": NAMESPACE}},
            }
            for webhook in webhooks
        ]
        double.put(resource, {"metadata": {"name": NAME}, "webhooks": entries})


def bundles(double: ApiDouble) -> list[bytes]:
    """What every webhook trusts."""
    return [
        base64.b64decode(webhook["clientConfig"].get("caBundle", ""))
        for resource in CONFIGURATIONS
        for webhook in double.object(resource, "", NAME)["webhooks"]
    ]


def secret(double: ApiDouble) -> dict[str, bytes]:
    data: dict[str, Any] = double.object(paths.SECRETS, NAMESPACE, SECRET)["data"]
    return {key: base64.b64decode(value) for key, value in data.items()}


def pems(bundle: bytes) -> list[x509.Certificate]:
    return x509.load_pem_x509_certificates(bundle)


def contents(of: Authority) -> dict[str, str]:
    """What a Secret holds."""
    data: dict[str, str] = authority.manifest(of, "a", "b")["data"]
    return data


OTHER = contents(authority.create(START))


async def test_the_first_replica_makes_the_authority_and_is_trusted(
    replica: Replica, double: ApiDouble
) -> None:
    assert replica.keeper.missing() == "no certificate yet"
    await replica.keeper.look()
    assert replica.keeper.missing() == ""
    assert replica.keeper.shown.is_set()
    found = secret(double)
    assert set(found) == {"ca.crt", "ca.key", "ca-bundle.crt"}
    assert bundles(double) == [found["ca-bundle.crt"]] * 3
    assert pems(found["ca-bundle.crt"]) == [replica.signer]


async def test_the_leaf_names_the_service_and_lives_a_week(replica: Replica) -> None:
    await replica.keeper.look()
    names = replica.leaf.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == [
        "elastic-quota-webhook.elastic-quota-system",
        "elastic-quota-webhook.elastic-quota-system.svc",
        "elastic-quota-webhook.elastic-quota-system.svc.cluster.local",
    ]
    assert replica.leaf.not_valid_before_utc == START - timedelta(hours=1)
    assert replica.leaf.not_valid_after_utc == START + timedelta(days=7)


async def test_replicas_that_start_together_share_one_authority(replica: Replica, api: Api) -> None:
    others = [Replica(api) for _ in range(4)]
    await asyncio.gather(*(each.keeper.look() for each in (replica, *others)))
    assert {each.signer for each in others} == {replica.signer}
    assert len({each.leaf for each in others}) == 4


async def test_a_quiet_round_writes_nothing(replica: Replica, double: ApiDouble) -> None:
    await replica.keeper.look()
    double.calls.clear()
    await replica.keeper.look()
    assert {call.method for call in double.calls} == {"GET"}


async def test_an_emptied_bundle_is_filled_again(replica: Replica, double: ApiDouble) -> None:
    await replica.keeper.look()
    wanted = bundles(double)
    configure(double)
    assert bundles(double) == [b""] * 3
    await replica.keeper.look()
    assert bundles(double) == wanted


async def test_the_patch_tests_which_webhook_it_changes(
    replica: Replica, double: ApiDouble
) -> None:
    await replica.keeper.look()
    (patch,) = [
        call.body for call in double.calls if call.method == "PATCH" and "mutating" in call.path
    ]
    assert [(each["op"], each["path"]) for each in patch] == [
        ("test", "/webhooks/0/name"),
        ("add", "/webhooks/0/clientConfig/caBundle"),
        ("test", "/webhooks/1/name"),
        ("add", "/webhooks/1/clientConfig/caBundle"),
    ]


async def test_a_leaf_is_renewed_after_two_thirds_of_its_life(replica: Replica) -> None:
    await replica.keeper.look()
    first = replica.leaf
    replica.now = START + timedelta(days=4)
    await replica.keeper.look()
    assert replica.leaf == first
    replica.now = START + timedelta(days=5)
    await replica.keeper.look()
    assert replica.leaf != first
    assert replica.leaf.not_valid_after_utc == START + timedelta(days=12)


async def test_a_leaf_that_ran_out_waits_for_nothing(replica: Replica, double: ApiDouble) -> None:
    await replica.keeper.look()
    old = replica.signer
    replica.now = START + timedelta(days=250)
    await replica.keeper.look()
    assert replica.keeper.missing() == ""
    assert pems(bundles(double)[0]) == [replica.signer, old]


async def test_a_new_authority_is_trusted_before_it_is_used(
    replica: Replica, double: ApiDouble
) -> None:
    replica.now = START
    await replica.keeper.look()
    old = replica.signer
    for day in range(4, 244, 4):
        replica.now = START + timedelta(days=day)
        await replica.keeper.look()
    leaf = replica.leaf
    assert replica.signer == old
    replica.now = START + timedelta(days=244)
    await replica.keeper.look()
    assert (replica.leaf, replica.signer) == (leaf, old)
    new, kept = pems(bundles(double)[0])
    assert kept == old
    replica.now += timedelta(seconds=30)
    await replica.keeper.look()
    assert replica.signer == new


async def test_an_expired_authority_leaves_the_bundle(replica: Replica, double: ApiDouble) -> None:
    await replica.keeper.look()
    replica.now = START + timedelta(days=400)
    await replica.keeper.look()
    assert pems(bundles(double)[0]) == [replica.signer]


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param({}, id="emptied"),
        pytest.param({"ca.crt": "!", "ca.key": "x", "ca-bundle.crt": ""}, id="garbage"),
        pytest.param({"ca.key": base64.b64encode(b"no key").decode()}, id="no key"),
        pytest.param({"ca-bundle.crt": ""}, id="no bundle"),
        pytest.param({"ca-bundle.crt": OTHER["ca-bundle.crt"]}, id="the bundle of another"),
        pytest.param({"ca.key": OTHER["ca.key"]}, id="the key of another"),
    ],
)
async def test_a_damaged_secret_is_healed(
    replica: Replica, api: Api, double: ApiDouble, damage: dict[str, str]
) -> None:
    await replica.keeper.look()
    double.edit(
        paths.SECRETS,
        NAMESPACE,
        SECRET,
        lambda stored: stored.update(data=stored["data"] | damage if damage else {}),
    )
    await replica.keeper.look()
    await replica.keeper.look()
    assert pems(bundles(double)[0])[0] == replica.signer
    assert pems(secret(double)["ca.crt"]) == [replica.signer]
    replica.leaf.verify_directly_issued_by(replica.signer)
    newcomer = Replica(api)
    await newcomer.keeper.look()
    newcomer.leaf.verify_directly_issued_by(replica.signer)


async def test_a_deleted_secret_is_made_again(replica: Replica, double: ApiDouble) -> None:
    await replica.keeper.look()
    double.remove(paths.SECRETS, NAMESPACE, SECRET)
    await replica.keeper.look()
    await replica.keeper.look()
    assert pems(secret(double)["ca.crt"]) == [replica.signer]


async def test_without_configurations_the_replica_is_not_ready(api: Api, double: ApiDouble) -> None:
    double.put(paths.NAMESPACES, {"metadata": {"name": NAMESPACE}})
    lonely = Replica(api)
    with pytest.raises(ApiError) as refused:
        await lonely.keeper.look()
    assert refused.value.is_not_found
    assert lonely.keeper.missing() == "no certificate yet"


async def test_a_replica_that_cannot_read_keeps_its_leaf(
    replica: Replica, double: ApiDouble
) -> None:
    await replica.keeper.look()
    leaf = replica.leaf
    double.faults.answer(Refusal(403, "Forbidden", "no"), times=9)
    with pytest.raises(ApiError):
        await replica.keeper.look()
    assert (replica.leaf, replica.keeper.missing()) == (leaf, "")
    replica.now = START + timedelta(days=8)
    assert replica.keeper.missing() == "the certificate has expired"


async def test_a_leaf_never_outlives_its_authority() -> None:
    signer = authority.create(START - timedelta(days=364))
    leaf = certificates.issue(signer, ("a",), START)
    assert leaf.certificate.not_valid_after_utc == signer.certificate.not_valid_after_utc
