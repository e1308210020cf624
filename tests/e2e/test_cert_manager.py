"""Mode certManager with the real cert-manager: it issues, injects and renews, and no call fails."""

import base64
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

import cert_manager_program
from installation import NAMESPACE, WEBHOOK, Installation, Kubectl
from local_cluster import cluster as local
from quota_stream import QuotaStream
from serving_secrets import HOSTS, der, shown
from users import Document, User
from waiting import eventually, stays


pytestmark = [pytest.mark.cluster, pytest.mark.long, pytest.mark.timeout(600)]

CONFIGURATIONS = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
SECRET = f"{WEBHOOK}-tls"
AUTHORITY = f"{WEBHOOK}-ca"


@pytest.fixture(scope="module")
def issued(
    cluster: local.Cluster,
    product: Installation,
    admin: User,
    kubectl: Kubectl,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Installation]:
    """The operator, with certificates of the real cert-manager.

    On the way there and back every webhook that is called is trusted.
    """
    folder = tmp_path_factory.mktemp("cert-manager")
    with cert_manager_program.running(cluster, admin, kubectl, folder) as logs:
        try:
            with QuotaStream(admin, "default") as there:
                product.upgrade({"webhook": {"certificates": {"mode": "certManager"}}})
                eventually(lambda: product.leaving(WEBHOOK), set(), within=60)
            yield product
        finally:  # before cert-manager's definitions go: helm needs those of the stored release
            with QuotaStream(admin, "default") as back:
                product.upgrade({"webhook": {"certificates": {"mode": "self"}}})
                eventually(lambda: product.leaving(WEBHOOK), set(), within=60)
    assert [each for each in (*there.failures, *back.failures) if "x509" in each] == []
    assert "panic" not in "".join(log.read_text() for log in logs.values())


def secret(admin: User, name: str = SECRET) -> dict[str, str]:
    found: dict[str, str] = admin.get("Secret", name, NAMESPACE)["data"]
    return found


def trusted(admin: User) -> set[frozenset[bytes]]:
    """The authorities that each webhook trusts, as DER; one set where all trust the same."""
    return {
        authorities(webhook["clientConfig"].get("caBundle", ""))
        for kind in CONFIGURATIONS
        for webhook in admin.get(kind, WEBHOOK)["webhooks"]
    }


def authorities(bundle: str) -> frozenset[bytes]:
    """The certificates in Base64 of PEM."""
    found = x509.load_pem_x509_certificates(base64.b64decode(bundle)) if bundle else []
    return frozenset(each.public_bytes(Encoding.DER) for each in found)


def certificate(kubectl: Kubectl, name: str) -> Document:
    found: Document = json.loads(
        kubectl("get", "certificates.cert-manager.io", name, "-n", NAMESPACE, "-o", "json")
    )
    return found


def conditions(found: Document) -> dict[str, str]:
    return {each["type"]: each["status"] for each in found.get("status", {}).get("conditions", ())}


def renew(kubectl: Kubectl, name: str) -> None:
    """As ``cmctl renew`` does; waits until another certificate is issued."""
    before = certificate(kubectl, name)
    issuing: Any = {
        "type": "Issuing",
        "status": "True",
        "reason": "ManuallyTriggered",
        "message": "by a test",
        "lastTransitionTime": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
    }
    change = {"status": {"conditions": [*before["status"]["conditions"], issuing]}}
    words = ("patch", "certificates.cert-manager.io", name, "-n", NAMESPACE)
    kubectl(*words, "--subresource=status", "--type=merge", "-p", json.dumps(change))
    eventually(
        lambda: certificate(kubectl, name)["status"],
        lambda now: (
            now.get("revision", 0) > before["status"]["revision"]
            and "Issuing" not in conditions({"status": now})
        ),
        within=60,
    )


def test_the_certificates_of_the_chart_are_issued_and_every_webhook_trusts_them(
    issued: Installation, admin: User, kubectl: Kubectl
) -> None:
    for name in (WEBHOOK, AUTHORITY):
        assert conditions(certificate(kubectl, name))["Ready"] == "True"
    assert tuple(certificate(kubectl, WEBHOOK)["spec"]["dnsNames"]) == HOSTS
    eventually(lambda: shown(issued), {der(secret(admin))}, within=60)
    (authority,) = authorities(secret(admin)["ca.crt"])
    eventually(lambda: [authority in each for each in trusted(admin)], [True], within=30)
    assert issued.ready(WEBHOOK) == 2


def test_cert_manager_keeps_the_former_authority_until_the_bundle_is_emptied(
    issued: Installation, admin: User
) -> None:
    authority = authorities(secret(admin)["ca.crt"])
    eventually(lambda: [each > authority for each in trusted(admin)], [True], within=30)
    for kind in CONFIGURATIONS:
        count = len(admin.get(kind, WEBHOOK)["webhooks"])
        path = "/webhooks/{}/clientConfig/caBundle"
        change = [{"op": "remove", "path": path.format(number)} for number in range(count)]
        admin.patch(kind, WEBHOOK, change=change)
    eventually(lambda: trusted(admin), {authority}, within=30)
    stays(lambda: trusted(admin), {authority})


def test_a_renewed_certificate_and_a_renewed_authority_fail_no_call(
    issued: Installation, admin: User, kubectl: Kubectl, namespace: str
) -> None:
    eventually(lambda: shown(issued), {der(secret(admin))}, within=60)
    leaf, authority = secret(admin), secret(admin, f"{WEBHOOK}-issuer")
    with QuotaStream(admin, namespace) as stream:
        renew(kubectl, WEBHOOK)
        renewed = secret(admin)
        assert renewed["tls.crt"] != leaf["tls.crt"]
        assert renewed["tls.key"] != leaf["tls.key"]
        eventually(lambda: shown(issued), {der(renewed)}, within=90)

        renew(kubectl, AUTHORITY)
        successor = secret(admin, f"{WEBHOOK}-issuer")
        assert successor["tls.crt"] != authority["tls.crt"]
        assert successor["tls.key"] == authority["tls.key"]
        renew(kubectl, WEBHOOK)
        last = secret(admin)
        assert authorities(last["ca.crt"]) == authorities(successor["tls.crt"])
        both = authorities(last["ca.crt"]) | authorities(leaf["ca.crt"])
        assert len(both) == 2
        eventually(lambda: [each >= both for each in trusted(admin)], [True], within=30)
        eventually(lambda: shown(issued), {der(last)}, within=90)
        passed = stream.passed
        eventually(lambda: stream.passed, lambda now: now > passed + 50)
    assert stream.failures == []
