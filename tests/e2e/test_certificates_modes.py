"""Certificates from a Secret of the user; ``test_cert_manager`` has those of cert-manager."""

import secrets
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

import users
from elasticquota_webhooks.certificates import authority
from installation import CONTROLLER, NAMESPACE, WEBHOOK, Installation
from quota_stream import QuotaStream
from scenes import refusal
from serving_secrets import der, issue, shown, store
from users import Document, User
from waiting import eventually


pytestmark = [pytest.mark.cluster, pytest.mark.long]

SELF: Document = {
    "webhook": {
        "pathToken": "",
        "certificates": {"mode": "self", "secretName": "", "caBundle": ""},
    }
}
CONFIGURATIONS = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")


def logs(product: Installation) -> str:
    """The logs of all webhooks."""
    return "".join(log for name, log in product.logs().items() if "webhook" in name)


@pytest.fixture
def restored(product: Installation) -> Iterator[Installation]:
    """The operator makes its own certificates again afterwards."""
    yield product
    product.seize(SELF)


@pytest.mark.timeout(300)  # two upgrades
def test_in_the_mode_for_production_no_account_of_ours_may_write_configurations_or_secrets(
    restored: Installation, admin: User, namespace: str
) -> None:
    signer = authority.create(datetime.now(UTC))
    store(admin, "given", issue(signer))
    given = {"mode": "secret", "secretName": "given", "caBundle": signer.bundle.decode()}
    restored.seize({"webhook": {"pathToken": secrets.token_hex(32), "certificates": given}})
    with QuotaStream(admin, namespace) as stream:
        eventually(lambda: stream.passed > 20, True, within=60)
    assert stream.failures == []
    for account in (WEBHOOK, CONTROLLER):
        stolen = users.account(admin, NAMESPACE, account)
        for kind in CONFIGURATIONS:
            more = {"operations": ["*"], "apiGroups": [""], "apiVersions": ["v1"]}
            rules = [{**more, "resources": ["secrets"]}]
            change = [{"op": "replace", "path": "/webhooks/0/rules", "value": rules}]
            refused = refusal(lambda: stolen.patch(kind, WEBHOOK, change=change))  # noqa: B023 - at once
            assert refused.code == 403
        for verb in (stolen.get, stolen.delete):
            assert refusal(lambda: verb("Secret", "given", NAMESPACE)).code == 403  # noqa: B023 - at once
        stolen.close()


@pytest.mark.timeout(300)  # two upgrades and four changes, each of which takes a kubelet some time
def test_a_secret_is_used_then_renewed_then_dropped_and_trusted_all_the_time(
    restored: Installation, admin: User, namespace: str
) -> None:
    one, two = (authority.create(datetime.now(UTC)) for _ in range(2))
    first, renewed, other = issue(one), issue(one), issue(two)
    store(admin, "mine", first)
    with QuotaStream(admin, namespace) as upgrading:
        restored.upgrade({"webhook": {"certificates": {"mode": "secret", "secretName": "mine"}}})
        eventually(lambda: shown(restored), {der(first)}, within=40)
    with QuotaStream(admin, namespace) as stream:
        store(admin, "mine", renewed)
        eventually(lambda: shown(restored), {der(renewed)}, within=60)
        store(admin, "mine", other)  # authority and leaf at once
        eventually(lambda: shown(restored), {der(other)}, within=60)
        store(admin, "mine", {"tls.key": first["tls.key"]})
        eventually(lambda: "tls.key does not belong to tls.crt" in logs(restored), True, within=40)
        assert shown(restored) == {der(other)}
        assert restored.ready(WEBHOOK) == 2
        store(admin, "mine", other)
    with QuotaStream(admin, namespace) as returning:
        restored.upgrade(SELF)
    assert stream.failures == []
    assert stream.passed > 200
    # test_server tests pods that terminate; this test only asks whether they were trusted.
    assert not [failure for failure in upgrading.failures if "x509" in failure]
    assert not [failure for failure in returning.failures if "x509" in failure]
