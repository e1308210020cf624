"""The Secret of the authorities may be damaged, deleted or replaced: the next check heals it."""

import base64

import pytest
import structlog

import certificate_managers as managers
from api_double import ApiDouble, Refusal
from certificate_managers import MARGIN, NAMESPACE, SECRET, START, ManualClock, Replica, reconcile
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api
from elasticquota_webhooks.certificates import authority_store, ca_rotation, timing


OTHER: dict[str, str] = authority_store.manifest(
    ca_rotation.begin(START, timing.NORMAL), NAMESPACE, SECRET
)["data"]


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
    managers.edit_secret(double, lambda data: data | damage if damage else {})
    newcomer = Replica(api, clock)
    for _ in range(4):
        await reconcile(replica)
        assert replica.is_accepted(double)
        await reconcile(newcomer)
        assert newcomer.is_accepted(double)
        clock.wait(MARGIN / 2)
    assert managers.signed(newcomer.leaf, by=managers.authority_of(double))
    assert set(managers.pems(managers.secret(double)["ca-bundle.crt"])) <= set(
        managers.trusted(double)
    )
    assert managers.authority_of(double) in managers.pems(managers.secret(double)["ca-bundle.crt"])
    assert replica.manager.problem == ""


async def test_a_deleted_secret_means_a_new_authority_and_no_call_fails(
    replica: Replica, double: ApiDouble, clock: ManualClock
) -> None:
    await reconcile(replica)
    old = managers.authority_of(double)
    double.remove(paths.SECRETS, NAMESPACE, SECRET)
    await reconcile(replica)
    assert managers.authority_of(double) == old
    coming = managers.authority_of(double, "coming")
    clock.wait(MARGIN)
    await reconcile(replica)
    assert managers.authority_of(double) == coming
    assert managers.signed(replica.leaf, by=coming)


async def test_the_empty_secret_of_the_chart_is_filled(replica: Replica, double: ApiDouble) -> None:
    made = {"name": SECRET, "namespace": NAMESPACE, "labels": {"chart": "ours"}}
    double.put(paths.SECRETS, {"metadata": made, "type": "Opaque"})
    with structlog.testing.capture_logs() as logs:
        await reconcile(replica)
    assert not [entry for entry in logs if entry["log_level"] == "warning"]
    assert set(managers.secret(double)) == {"ca.crt", "ca.key", "ca-bundle.crt"}
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
    assert managers.signed(replica.leaf, by=managers.authority_of(double))
    assert replica.is_accepted(double)


async def test_secret_deleted_bundle_wiped_and_all_restarted_recovers_in_one_check(
    replica: Replica, api: Api, double: ApiDouble, clock: ManualClock
) -> None:
    await reconcile(replica)
    double.remove(paths.SECRETS, NAMESPACE, SECRET)
    managers.configure(double)
    restarted = Replica(api, clock)
    await reconcile(restarted)
    assert restarted.manager.missing() == ""
    assert restarted.is_accepted(double)
