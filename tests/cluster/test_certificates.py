"""The webhook makes its own certificates and keeps the API server's trust in them."""

import base64
import ssl

import pytest

from installation import NAMESPACE, WEBHOOK, Installation
from quota_stream import QuotaStream
from scenes import Pool
from users import User
from waiting import eventually, seconds_until


pytestmark = pytest.mark.cluster

CONFIGURATIONS = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
SECRET = f"{WEBHOOK}-ca"


def bundles(admin: User) -> set[str]:
    """All different caBundles of the operator's webhooks; missing ones are empty."""
    return {
        str(webhook["clientConfig"].get("caBundle", ""))
        for kind in CONFIGURATIONS
        for webhook in admin.get(kind, WEBHOOK)["webhooks"]
    }


def authorities(admin: User) -> int:
    """How many authorities every webhook trusts; 0 while webhooks differ."""
    found = bundles(admin)
    if len(found) != 1 or "" in found:
        return 0
    trusted = ssl.create_default_context(cadata=base64.b64decode(found.pop()).decode())
    return trusted.cert_store_stats()["x509_ca"]


def authority(admin: User) -> str:
    """The certificate that signs."""
    return str(admin.get("Secret", SECRET, NAMESPACE)["data"]["ca.crt"])


def wipe(admin: User) -> None:
    """Take the bundle out of every webhook."""
    for kind in CONFIGURATIONS:
        count = len(admin.get(kind, WEBHOOK)["webhooks"])
        change = [
            {"op": "remove", "path": f"/webhooks/{number}/clientConfig/caBundle"}
            for number in range(count)
        ]
        admin.patch(kind, WEBHOOK, change=change)


def test_one_authority_is_known_to_every_webhook(product: Installation, admin: User) -> None:
    assert authorities(admin) == 1
    assert admin.get("Secret", SECRET, NAMESPACE)["data"]


def test_a_wiped_bundle_is_filled_again(product: Installation, admin: User, pool: Pool) -> None:
    before = bundles(admin)
    wipe(admin)
    eventually(lambda: bundles(admin), before, within=45)
    eventually(lambda: pool.quota("team", min=1, max=1), bool)


def test_a_deleted_secret_brings_a_new_authority_and_no_call_fails(
    product: Installation, admin: User, namespace: str
) -> None:
    before = authority(admin)
    with QuotaStream(admin, namespace) as stream:
        admin.delete("Secret", SECRET, NAMESPACE)
        eventually(lambda: authority(admin), lambda now: now != before, within=60)
        passed = stream.passed
        eventually(lambda: stream.passed, lambda now: now > passed + 50)
    assert stream.failures == []
    assert authorities(admin) >= 2
    assert "former.crt" in admin.get("Secret", SECRET, NAMESPACE)["data"]


def test_a_13_secret_deleted_bundle_wiped_and_all_killed_heals_within_30_seconds(
    product: Installation, admin: User, pool: Pool, measured: dict[str, float]
) -> None:
    before = authority(admin)
    pods = product.pods(WEBHOOK)
    for pod in pods:
        product.kill(pod)
    admin.delete("Secret", SECRET, NAMESPACE)
    wipe(admin)

    def healed() -> bool:
        pool.admin.create(pool.quota_manifest("probe", min=1, max=1), dry_run=True)
        return authority(admin) != before and "" not in bundles(admin)

    took = seconds_until(healed, True, within=30)
    measured["certificates: Secret deleted, bundle wiped, all killed: healed"] = took
    product.settle()
    eventually(lambda: pool.quota("team", min=1, max=1), bool)
