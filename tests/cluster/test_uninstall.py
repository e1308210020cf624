"""Uninstalling stops the operator and keeps what people wrote; installing again takes it up."""

import pytest

from installation import CONTROLLER, NAMESPACE, WEBHOOK, Installation
from scenes import Pool
from users import User
from waiting import eventually


pytestmark = pytest.mark.cluster


def test_a_23_uninstall_keeps_quotas_and_pods_and_a_new_install_takes_them_up(
    pool: Pool, admin: User, product: Installation
) -> None:
    pool.quota("team", min=2, max=2)
    pool.pods("team", 3)
    eventually(lambda: (len(pool.running("team")), len(pool.gated("team"))), (2, 1))
    product.uninstall()
    try:
        for kind, name in (
            ("Deployment", CONTROLLER),
            ("Deployment", WEBHOOK),
            ("MutatingWebhookConfiguration", WEBHOOK),
            ("ValidatingWebhookConfiguration", WEBHOOK),
            ("ValidatingAdmissionPolicy", "elastic-quota-gate"),
        ):
            assert admin.find(kind, name, NAMESPACE) is None, f"{kind} {name} is left"
        assert pool.get("team")["spec"]["min"] == {"cpu": "2"}
        assert len(pool.running("team")) == 2
        pool.pod("free", "team")
        eventually(lambda: "free" in pool.running("team"), True)
    finally:
        product.install()
    # The pod that was let in meanwhile is one too many: it, or another, goes after the delay.
    eventually(lambda: (len(pool.running("team")), len(pool.gated("team"))), (2, 1))
    pool.delete_pods(min(pool.running("team")))
    eventually(lambda: (len(pool.running("team")), pool.gated("team")), (2, set()))
