"""The webhook makes its own certificates and keeps the API server's trust in them."""

import base64
import ssl

import pytest

from installation import NAMESPACE, WEBHOOK, Installation
from scenes import Pool
from users import User
from waiting import eventually


pytestmark = pytest.mark.cluster

CONFIGURATIONS = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")


def bundles(admin: User) -> set[str]:
    """All different caBundles of the operator's webhooks; missing ones are empty."""
    return {
        str(webhook["clientConfig"].get("caBundle", ""))
        for kind in CONFIGURATIONS
        for webhook in admin.get(kind, WEBHOOK)["webhooks"]
    }


def test_one_authority_is_known_to_every_webhook(product: Installation, admin: User) -> None:
    (bundle,) = bundles(admin)
    trusted = ssl.create_default_context(cadata=base64.b64decode(bundle).decode())
    assert trusted.cert_store_stats()["x509_ca"] == 1
    assert admin.get("Secret", f"{WEBHOOK}-ca", NAMESPACE)["data"]


def test_a_wiped_bundle_is_filled_again(product: Installation, admin: User, pool: Pool) -> None:
    before = bundles(admin)
    for kind in CONFIGURATIONS:
        count = len(admin.get(kind, WEBHOOK)["webhooks"])
        change = [
            {"op": "remove", "path": f"/webhooks/{number}/clientConfig/caBundle"}
            for number in range(count)
        ]
        admin.patch(kind, WEBHOOK, change=change)
    eventually(lambda: bundles(admin), before, within=45)
    eventually(lambda: pool.quota("team", min=1, max=1), bool)
