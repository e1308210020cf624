"""The bundle in the webhook configurations: filled again, repaired, and shared."""

from datetime import timedelta

import certificate_managers as managers
from api_double import ApiDouble
from certificate_managers import CONFIGURATIONS, FOREIGN, LINGER, NAME, ManualClock, Replica
from elasticquota_kube.client import paths
from elasticquota_webhooks.certificates import authority


async def test_an_emptied_bundle_is_filled_again(replica: Replica, double: ApiDouble) -> None:
    await replica.manager.reconcile()
    wanted = managers.trusted(double)
    managers.configure(double)
    assert managers.trusted(double) == []
    await replica.manager.reconcile()
    assert managers.trusted(double) == wanted


async def test_an_invalid_bundle_is_replaced(replica: Replica, double: ApiDouble) -> None:
    await replica.manager.reconcile()
    wanted = managers.trusted(double)
    managers.inject(double, b"-----BEGIN CERTIFICATE-----\nnonsense\n-----END CERTIFICATE-----\n")
    await replica.manager.reconcile()
    assert managers.trusted(double) == wanted


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
    (ours,) = managers.trusted(double)
    managers.inject(double, authority.pem(ours) + FOREIGN.bundle)
    await replica.manager.reconcile()
    clock.wait(LINGER - timedelta(seconds=1))
    await replica.manager.reconcile()
    assert set(managers.trusted(double)) == {ours, FOREIGN.certificate}
    clock.wait(timedelta(seconds=1))
    await replica.manager.reconcile()
    assert managers.trusted(double) == [ours]


async def test_the_authority_of_another_release_is_kept_during_a_rollout(
    replica: Replica, double: ApiDouble
) -> None:
    managers.inject(double, FOREIGN.bundle)
    await replica.manager.reconcile()
    assert FOREIGN.certificate in managers.trusted(double)
    assert replica.is_accepted(double)
