"""Certificates from other sources: a Secret of the user, and what cert-manager would write.

cert-manager itself does not run here. A script simulates it: it writes the Secret that a
Certificate names and fills in the bundle of the configurations that refer to it, as cert-manager's
documentation says. The installed operator is real.
"""

import json
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial

import pytest

from elasticquota_webhooks.certificates import authority
from installation import NAMESPACE, WEBHOOK, Installation, Kubectl
from quota_stream import QuotaStream
from serving_secrets import HOSTS, der, issue, shown, store
from users import Document, User
from waiting import eventually


pytestmark = [pytest.mark.cluster, pytest.mark.long]

CONFIGURATIONS = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
SELF: Document = {"webhook": {"certificates": {"mode": "self", "secretName": "", "caBundle": ""}}}


def logs(product: Installation) -> str:
    """The logs of all webhooks."""
    return "".join(log for name, log in product.logs().items() if "webhook" in name)


@pytest.fixture
def restored(product: Installation) -> Iterator[Installation]:
    """The operator makes its own certificates again afterwards."""
    yield product
    product.upgrade(SELF)


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


class CertManager:
    """The simulated cert-manager: Certificates become Secrets, annotations become bundles."""

    def __init__(self, admin: User, kubectl: Kubectl) -> None:
        self.data: dict[str, str] = {}
        self._admin = admin
        self._kubectl = kubectl
        self._authority = authority.create(datetime.now(UTC))

    def define(self) -> None:
        """Create cert-manager's definitions, without their schemas."""
        for plural, kind in (("certificates", "Certificate"), ("issuers", "Issuer")):
            version = {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "x-kubernetes-preserve-unknown-fields": True,
                    }
                },
            }
            definition = {
                "apiVersion": "apiextensions.k8s.io/v1",
                "kind": "CustomResourceDefinition",
                "metadata": {"name": f"{plural}.cert-manager.io"},
                "spec": {
                    "group": "cert-manager.io",
                    "scope": "Namespaced",
                    "names": {"plural": plural, "kind": kind},
                    "versions": [version],
                },
            }
            self._kubectl("apply", "-f", "-", stdin=json.dumps(definition))
            name = f"crd/{plural}.cert-manager.io"
            self._kubectl("wait", "--for=condition=Established", name, "--timeout=20s")

    def work(self) -> None:
        """Wait for the Certificate, issue it, inject its authority."""
        words = ("get", "certificate.cert-manager.io", WEBHOOK, "-n", NAMESPACE, "-o", "json")
        done = eventually(
            lambda: self._kubectl.attempt(*words), lambda done: done.returncode == 0, within=60
        )
        spec = json.loads(done.stdout)["spec"]
        assert tuple(spec["dnsNames"]) == HOSTS
        self.renew(spec["secretName"])
        self.inject()

    def renew(self, secret: str) -> None:
        """Issue a new leaf by the same authority."""
        self.data = issue(self._authority)
        store(self._admin, secret, self.data)

    def inject(self) -> None:
        """Write only its authority into all webhooks that refer to the Certificate."""
        for kind in CONFIGURATIONS:
            eventually(partial(self._place, kind), f"{NAMESPACE}/{WEBHOOK}")
            count = len(self._admin.get(kind, WEBHOOK)["webhooks"])
            change = [
                {
                    "op": "add",
                    "path": f"/webhooks/{number}/clientConfig/caBundle",
                    "value": self.data["ca.crt"],
                }
                for number in range(count)
            ]
            self._admin.patch(kind, WEBHOOK, change=change)

    def _place(self, kind: str) -> str:
        annotations = self._admin.get(kind, WEBHOOK)["metadata"]["annotations"]
        return str(annotations["cert-manager.io/inject-ca-from"])


def test_webhooks_present_what_cert_manager_writes_and_keep_its_bundle(
    restored: Installation, admin: User, kubectl: Kubectl, namespace: str
) -> None:
    manager = CertManager(admin, kubectl)
    manager.define()
    script = threading.Thread(target=manager.work)
    script.start()
    restored.upgrade({"webhook": {"certificates": {"mode": "certManager"}}})
    script.join()
    eventually(lambda: shown(restored), {der(manager.data)}, within=40)
    probe = {
        "apiVersion": "scheduling.sigs.k8s.io/v1alpha1",
        "kind": "ElasticQuota",
        "metadata": {"name": "probe", "namespace": namespace},
    }
    # The API server takes a moment to learn of the new bundle.
    eventually(lambda: admin.create(probe, dry_run=True), bool)
    # Replicas of the former mode keep themselves trusted until they terminate. cert-manager would
    # remove what they add at once; the script does so when they are gone.
    eventually(lambda: restored.leaving(WEBHOOK), set(), within=40)
    manager.inject()
    with QuotaStream(admin, namespace) as stream:
        before = stream.passed
        manager.renew(f"{WEBHOOK}-tls")
        eventually(lambda: shown(restored), {der(manager.data)}, within=60)
        eventually(lambda: stream.passed, lambda now: now > before + 20)
    assert stream.failures == []
    bundles = {
        webhook["clientConfig"]["caBundle"]
        for kind in CONFIGURATIONS
        for webhook in admin.get(kind, WEBHOOK)["webhooks"]
    }
    assert bundles == {manager.data["ca.crt"]}
