"""Webhooks that hang, are gone or cannot be found: quotas stay valid, pods start."""

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest

import settled
from elasticquota import names
from installation import NAMESPACE, WEBHOOK, Installation
from scenes import GATE, Pool, condition, gates, refusal
from users import RefusedError, User
from waiting import eventually, seconds_until


PODS = int(os.environ.get("UNASKED", "40"))
"""Pods that are made while no webhook can be asked; ``UNASKED=200`` is the long form."""
HUNG = float(os.environ.get("HUNG", "0"))
"""Seconds for which a replica hangs at least; with ``HUNG=60`` its kubelet restarts it."""

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.usefixtures("admission"),
    pytest.mark.timeout(240 + PODS + HUNG),
]

PATIENCE = {"pod": 3.0, "quota": 10.0}
"""Seconds that the API server waits for an answer (``timeoutSeconds``)."""
MARGIN = 2.5
IN_A_ROW = 20
"""After this many quick requests in a row, the hanging replica is no longer asked."""


def test_a_16_a_replica_that_hangs_delays_a_few_requests_and_is_asked_no_more(
    pool: Pool, product: Installation, measured: dict[str, float]
) -> None:
    pool.quota("team", min=1, max=1)
    manifests = {
        "pod": pool.pod_manifest("trial", "team"),
        "quota": pool.quota_manifest("trial", min=1, max=1),
    }

    def waited(what: str) -> bool:
        began = time.monotonic()
        with suppress(RefusedError):  # a quota without a review is not stored
            pool.admin.create(manifests[what], dry_run=True)
        took = time.monotonic() - began
        assert took < PATIENCE[what] + MARGIN
        return took > PATIENCE[what] / 2

    late = quick = 0
    with product.paused(min(product.pods(WEBHOOK))):
        began = last = time.monotonic()
        while quick < IN_A_ROW or product.ready(WEBHOOK) == 2 or last - began < HUNG:
            waits = sum(map(waited, manifests))
            late += waits
            quick = 0 if waits else quick + 1
            last = time.monotonic()
            assert last - began < 90 + HUNG
        measured[f"A-16 replica hangs: until it is asked no more ({late} requests waited)"] = (
            last - began - HUNG
        )
        assert late <= 10
        pool.quota("made", min=1, max=1)
    product.settle()
    eventually(lambda: gates(pool.admin.create(manifests["pod"], dry_run=True)), [GATE])


def test_a_17_while_no_webhook_runs_quotas_are_refused_and_pods_start_at_once(
    pool: Pool, product: Installation, measured: dict[str, float]
) -> None:
    """Some seconds stand for the minutes of an outage: no timer of the product runs that long."""
    pool.quota("team", min=2, max=8)
    with product.without_webhook():
        refused = refusal(lambda: pool.quota("other", min=1, max=1))
        assert refused.code == 500
        assert 'failed calling webhook "quota.elasticquota.dev"' in refused.message
        pods = pool.pods("team", PODS)
        assert [gates(pool.get_pod(pod)) for pod in pods[:4]] == [[]] * 4
        began = time.monotonic()
        eventually(lambda: condition(pool.get("team"), "Overused")["status"], "True")
        eventually(lambda: pool.used("team"), "8", within=30 + PODS)
        measured[f"A-17 no webhook, {PODS} pods: until what was too much has gone"] = (
            time.monotonic() - began
        )
        eventually(lambda: len(pool.running("team")), 8)
        # The figures for Koordinator's tools are written without a webhook.
        eventually(lambda: runtime_for_peers(pool), "8")
    pool.quota("other", min=1, max=1)
    pool.pod("late", "team")
    eventually(lambda: pool.gated("team"), {"late"})
    eventually(lambda: settled.faults(pool), [], within=30)


def runtime_for_peers(pool: Pool) -> str:
    written = pool.get("team")["metadata"]["annotations"][names.RUNTIME]
    return str(json.loads(written)["cpu"])


@contextmanager
def nameless(admin: User) -> Iterator[None]:
    """The name of the Service cannot be resolved."""
    before = admin.get("Service", WEBHOOK, NAMESPACE)["spec"]["externalName"]
    change = {"spec": {"externalName": "nowhere.invalid"}}
    admin.patch("Service", WEBHOOK, NAMESPACE, change=change)
    try:
        yield
    finally:
        change = {"spec": {"externalName": before}}
        admin.patch("Service", WEBHOOK, NAMESPACE, change=change)


def test_a_service_whose_name_is_not_found_is_as_no_webhook_and_heals_by_itself(
    pool: Pool, admin: User, product: Installation, measured: dict[str, float]
) -> None:
    pool.quota("team", min=2, max=2)
    pod = pool.pod_manifest("trial", "team")
    trial = pool.quota_manifest("trial", min=1, max=1)
    with nameless(admin):
        for replica in product.pods(WEBHOOK):  # so that no connection is left
            product.kill(replica)
        eventually(lambda: gates(admin.create(pod, dry_run=True)), [], within=60)
        eventually(lambda: refusal(lambda: admin.create(trial, dry_run=True)).code, 500)
        pool.pods("team", 4)
        eventually(lambda: pool.used("team"), "2", within=30)
    took = seconds_until(lambda: bool(admin.create(trial, dry_run=True)), True, within=60)
    measured["name of the Service is back: until quotas are judged"] = took
    eventually(lambda: gates(admin.create(pod, dry_run=True)), [GATE], within=30)
    product.settle()
    eventually(lambda: settled.faults(pool), [], within=30)
