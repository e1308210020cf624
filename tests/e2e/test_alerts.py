"""Alerts of faults fire in a real Prometheus and clear when the cause is gone.

``test_prometheus`` has those of quotas, nodes and leadership. The rules are the chart's, without
delay and with windows of ten seconds. Two alerts tell of a defect of ours, which the tests put into
the running controllers.
"""

from datetime import UTC, datetime, timedelta

import pytest

import fault_module
import fewer_fields
import grants
import policies
import prometheus_program
import rights
import serving_secrets
from elasticquota_webhooks.certificates import authority
from fewer_fields import QUOTAS
from installation import CONTROLLER, CONTROLLER_USER, NAMESPACE, WEBHOOK, Installation
from local_cluster import cluster as local
from operators import definitions
from prometheus_program import Prometheus
from scenes import Pool, refusal
from users import User
from waiting import eventually


pytestmark = [pytest.mark.cluster, pytest.mark.long, pytest.mark.timeout(300)]

DAY = timedelta(days=1)


def fires(prometheus: Prometheus, alert: str, within: float = 60, **labels: str) -> None:
    eventually(lambda: prometheus.fires(alert, **labels), True, within=within)


def clears(prometheus: Prometheus, alert: str, within: float = 60) -> None:
    eventually(lambda: alert in prometheus.alerts(), False, within=within)


def test_a_role_without_the_right_to_patch_pods_fires_until_the_right_is_back(
    scraping: Prometheus, pool: Pool, admin: User
) -> None:
    pool.quota("team", min=8, max=8)
    with rights.without(admin, CONTROLLER, "pods", ["patch"]):
        waiting = pool.pods("team", 4)
        fires(scraping, "ElasticQuotaApiErrors", verb="patch", resource="pods")
        assert pool.gated("team") == set(waiting)
    eventually(lambda: pool.running("team"), set(waiting), within=65)
    clears(scraping, "ElasticQuotaApiErrors")


def test_a_broken_configuration_file_fires_until_it_is_corrected(
    scraping: Prometheus, admin: User
) -> None:
    stored = admin.get("ConfigMap", "elastic-quota-config", NAMESPACE)
    kept = {key: stored["metadata"][key] for key in ("name", "namespace", "labels")}
    # Written as helm: otherwise helm would refuse to upgrade fields that another manager owns.
    whole = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": kept}
    broken = {"config.yaml": stored["data"]["config.yaml"] + "\nmode: [\n"}
    admin.apply({**whole, "data": broken}, manager="helm")
    try:
        for address in scraping.healthy():
            fires(scraping, "ElasticQuotaConfigInvalid", instance=address)
    finally:
        admin.apply({**whole, "data": stored["data"]}, manager="helm")
    clears(scraping, "ElasticQuotaConfigInvalid")


def test_a_binding_that_is_gone_fires_until_it_is_back(scraping: Prometheus, admin: User) -> None:
    """The leader compares every minute."""
    with policies.unbound(admin, "gate"):
        gone = {"kind": policies.BINDING, "name": "elastic-quota-gate"}
        fires(scraping, "ElasticQuotaPolicyMissing", within=130, **gone)
    clears(scraping, "ElasticQuotaPolicyMissing", within=130)


def test_a_kind_that_is_served_in_another_version_fires_until_it_is_served_in_ours(
    scraping: Prometheus, product: Installation, admin: User, cluster: local.Cluster
) -> None:
    kind = {"group": "example.com", "versions": ["v1"], "kind": "Gang", "plural": "gangs"}
    gangs = {"name": "mine", "group": ["example.com/gang"], "object": {**kind, "size": "spec.size"}}
    with product.upgraded({"config": {"podGroups": {"adapters": [gangs]}}}):
        prometheus_program.follow(scraping, product)
        definitions.serve(admin, "example.com", "v2", "Gang", {"type": "object"})
        fires(scraping, "ElasticQuotaDefinitionUnread", definition="gangs.example.com")
        admin.delete("CustomResourceDefinition", "gangs.example.com")
        eventually(lambda: admin.find("CustomResourceDefinition", "gangs.example.com"), None)
        definitions.serve(admin, "example.com", "v1", "Gang", {"type": "object"})
        watched = grants.Right(CONTROLLER_USER, "example.com", "gangs", "watch")
        eventually(lambda: watched in grants.allowed(cluster.audit_log), True, within=60)
        clears(scraping, "ElasticQuotaDefinitionUnread")
        admin.delete("CustomResourceDefinition", "gangs.example.com")
    prometheus_program.follow(scraping, product)


def test_a_definition_of_others_fires_until_ours_is_back(
    scraping: Prometheus, pool: Pool, admin: User
) -> None:
    with fewer_fields.defined(admin, {QUOTAS: ("used",)}):
        fires(scraping, "ElasticQuotaDefinitionReplaced", definition=QUOTAS)
    clears(scraping, "ElasticQuotaDefinitionReplaced")


def test_a_webhook_that_may_not_read_pods_cannot_judge_a_deletion_and_fires(
    scraping: Prometheus, pool: Pool, admin: User
) -> None:
    pool.quota("team", min=1, max=1)
    pool.pods("team", 1)
    eventually(lambda: len(pool.running("team")), 1)

    def code() -> int:
        name = pool.name("team")
        return refusal(lambda: admin.delete("ElasticQuota", name, pool.namespace)).code

    assert code() == 409
    with rights.without(admin, WEBHOOK, "pods", ["list"]):
        eventually(code, 503)
        eventually(lambda: (code(), scraping.fires("ElasticQuotaWebhookErrors")), (503, True), 60)
    eventually(code, 409)
    clears(scraping, "ElasticQuotaWebhookErrors")


def test_a_certificate_that_ends_within_a_day_fires_until_it_is_renewed(
    scraping: Prometheus, product: Installation, admin: User
) -> None:
    signer = authority.create(datetime.now(UTC))
    serving_secrets.store(admin, "mine", serving_secrets.issue(signer, DAY / 2))
    assert "ElasticQuotaCertificateExpires" not in scraping.alerts()
    mode = {"webhook": {"certificates": {"mode": "secret", "secretName": "mine"}}}
    with product.upgraded(mode):
        prometheus_program.follow(scraping, product)
        fires(scraping, "ElasticQuotaCertificateExpires")
        serving_secrets.store(admin, "mine", serving_secrets.issue(signer, 2 * DAY))
        clears(scraping, "ElasticQuotaCertificateExpires")
    admin.delete("Secret", "mine", NAMESPACE)


def test_the_breaker_fires_while_it_holds_evictions_and_clears_when_they_go(
    scraping: Prometheus, pool: Pool
) -> None:
    pool.quota("borrower", max=16)
    pool.quota("owner", min=12, max=16)
    lent = pool.pods("borrower", 16)
    eventually(lambda: pool.running("borrower"), set(lent), within=30)
    owed = pool.pods("owner", 12)
    fires(scraping, "ElasticQuotaEvictionsHeld", tree=pool.root)
    eventually(lambda: pool.running("owner"), set(owed), within=60)
    clears(scraping, "ElasticQuotaEvictionsHeld")


def test_defects_of_the_controller_fire_until_it_is_replaced(
    scraping: Prometheus, product: Installation, pool: Pool, admin: User
) -> None:
    with fault_module.installed(product, admin):
        prometheus_program.follow(scraping, product)
        assert not scraping.alerts() & {
            "ElasticQuotaDecisionsFail",
            "ElasticQuotaObjectsUnreadable",
        }
        pool.quota("unreadable", min=1, max=1, annotations={"unreadable-by-fault": ""})
        fires(scraping, "ElasticQuotaObjectsUnreadable", resource="elasticquotas")
        clears(scraping, "ElasticQuotaObjectsUnreadable")
        fault_module.decisions_raise(admin, raising=True)
        fires(scraping, "ElasticQuotaDecisionsFail")
        fault_module.decisions_raise(admin, raising=False)
        clears(scraping, "ElasticQuotaDecisionsFail")
    prometheus_program.follow(scraping, product)
