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
    """The different caBundles of the operator's webhooks; a missing one is empty."""
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


def all_trust_the_present(admin: User) -> bool:
    """Whether all webhooks have one bundle, and the certificate that signs is in it.

    Former ones may be there, too: tests before these change the mode or the Secret.
    """
    (bundle, *others) = bundles(admin)
    signs = base64.b64decode(authority(admin))
    return not others and signs in base64.b64decode(bundle)


def wipe(admin: User) -> None:
    """Remove bundle and path from every webhook."""
    for kind in CONFIGURATIONS:
        count = len(admin.get(kind, WEBHOOK)["webhooks"])
        change = [
            {"op": "remove", "path": f"/webhooks/{number}/clientConfig/{field}"}
            for number in range(count)
            for field in ("caBundle", "service/path")
        ]
        admin.patch(kind, WEBHOOK, change=change)


def tokens(admin: User) -> set[str]:
    """The tokens in the paths of all webhooks."""
    return {
        str(webhook["clientConfig"]["service"].get("path", "")).partition("/")[2].partition("/")[0]
        for kind in CONFIGURATIONS
        for webhook in admin.get(kind, WEBHOOK)["webhooks"]
    }


def empty(admin: User) -> None:
    """Empty the Secret, so that a new authority is made."""
    admin.patch("Secret", SECRET, NAMESPACE, change={"data": None})


def test_the_paths_hold_one_token_that_an_upgrade_keeps(
    product: Installation, admin: User, namespace: str
) -> None:
    before = tokens(admin)
    assert len(before) == 1
    assert all(len(token) == 64 for token in before)
    with QuotaStream(admin, namespace) as stream:
        product.upgrade({"webhook": {"quotas": {"timeoutSeconds": 9}}})
        assert tokens(admin) == before
        product.upgrade({"webhook": {"quotas": {"timeoutSeconds": 10}}})
        assert tokens(admin) == before
    assert stream.failures == []


def test_every_webhook_trusts_the_same_authority(product: Installation, admin: User) -> None:
    assert all_trust_the_present(admin)


def test_a_wiped_bundle_is_filled_again(product: Installation, admin: User, pool: Pool) -> None:
    wipe(admin)
    eventually(lambda: all_trust_the_present(admin), True, within=45)
    eventually(lambda: pool.quota("team", min=1, max=1), bool)


def test_an_emptied_secret_brings_a_new_authority_and_no_call_fails(
    product: Installation, admin: User, namespace: str
) -> None:
    before = authority(admin)
    with QuotaStream(admin, namespace) as stream:
        empty(admin)
        eventually(lambda: authority(admin), lambda now: now != before, within=60)
        passed = stream.passed
        eventually(lambda: stream.passed, lambda now: now > passed + 50)
    assert stream.failures == []
    assert authorities(admin) >= 2
    assert "former.crt" in admin.get("Secret", SECRET, NAMESPACE)["data"]


def test_a_13_secret_emptied_bundle_wiped_and_all_killed_heals_within_30_seconds(
    product: Installation, admin: User, pool: Pool, measured: dict[str, float]
) -> None:
    before = authority(admin)
    pods = product.pods(WEBHOOK)
    for pod in pods:
        product.kill(pod)
    empty(admin)
    wipe(admin)

    def healed() -> bool:
        pool.admin.create(pool.quota_manifest("probe", min=1, max=1), dry_run=True)
        return authority(admin) != before and "" not in bundles(admin)

    took = seconds_until(healed, True, within=30)
    measured["certificates: Secret emptied, bundle wiped, all killed: healed"] = took
    product.settle()
    eventually(lambda: pool.quota("team", min=1, max=1), bool)
