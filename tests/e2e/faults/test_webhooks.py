"""Webhooks that hang, are gone or cannot be found: quotas stay valid, pods start."""

import json
import os
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from typing import Self

import pytest

import audit
import settled
import threads
import users
from elasticquota import names
from installation import NAMESPACE, WEBHOOK, Installation
from local_cluster import cluster as local
from scenes import GATE, Pool, condition, gates, refusal
from users import RefusedError, User
from waiting import eventually, seconds_until


PODS = int(os.environ.get("UNASKED", "40"))
"""Pods that are made while no webhook can be asked; ``UNASKED=200`` is the long form."""
HUNG = float(os.environ.get("HUNG", "0"))
"""Seconds for which a replica hangs at least; with ``HUNG=60`` its kubelet restarts it."""

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.long,
    pytest.mark.usefixtures("admission"),
    pytest.mark.timeout(240 + PODS + HUNG),
]

PATIENCE = {"pod": 3.0, "quota": 10.0}
"""Seconds that the API server waits for an answer (``timeoutSeconds``)."""
MARGIN = 6.0
"""Seconds more that a machine may take which others use: 3.1 were seen."""
BEAT = 0.3
"""Seconds between two pods of one client."""
IN_A_ROW = 20
"""After this many quick requests in a row, the hanging replica is no longer asked."""


def test_a_16_a_replica_that_hangs_delays_a_few_requests_and_is_then_avoided(
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
        eventually(lambda: runtime_for_koordinator(pool), "8")
    pool.quota("other", min=1, max=1)
    pool.pod("late", "team")
    eventually(lambda: pool.gated("team"), {"late"})
    eventually(lambda: settled.faults(pool), [], within=30)


def runtime_for_koordinator(pool: Pool) -> str:
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


def test_a_service_whose_name_is_not_found_acts_like_no_webhook_and_recovers(
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


class Load:
    """Four clients create pods of ``team`` one after the other inside the block, and a fifth one
    creates pods of the system, which no webhook is asked about.
    """

    def __init__(self, pool: Pool) -> None:
        self.made: list[str] = []
        self.refused: list[RefusedError] = []
        self.slowest = {"team": 0.0, "system": 0.0}
        self._pool = pool
        self._done = threading.Event()
        self._with_threads = threads.at_work(
            (*(lambda first=first: self._create(first) for first in range(4)), self._of_system),
            self._done,
        )

    def __enter__(self) -> Self:
        self._with_threads.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._with_threads.__exit__(None, None, None)

    def _create(self, client: int) -> None:
        user = users.User(self._pool.admin.configuration)
        number = 0
        while not self._done.wait(BEAT):
            manifest = self._pool.pod_manifest(f"pod-{client}-{number}", "team")
            began = time.monotonic()
            try:
                user.create(manifest)
            except RefusedError as refused:
                self.refused.append(refused)
            else:
                self.made.append(manifest["metadata"]["name"])
                number += 1
            self.slowest["team"] = max(self.slowest["team"], time.monotonic() - began)
        user.close()

    def _of_system(self) -> None:
        user = users.User(self._pool.admin.configuration)
        manifest = self._pool.pod_manifest(
            f"system-{self._pool.namespace}", None, namespace="kube-system"
        )
        while not self._done.wait(BEAT):
            began = time.monotonic()
            user.create(manifest)
            self.slowest["system"] = max(self.slowest["system"], time.monotonic() - began)
            user.delete("Pod", manifest["metadata"]["name"], "kube-system", grace=0)
        user.close()


def restarts(product: Installation) -> dict[str, int]:
    """How often each webhook was restarted; those that are not ready yet are left out."""
    found = {
        name: pod["status"]["containerStatuses"][0] for name, pod in product.pods(WEBHOOK).items()
    }
    return {name: state["restartCount"] for name, state in found.items() if state["ready"]}


@pytest.mark.parametrize("policy", ["Ignore", "Fail"])
def test_webhooks_are_killed_and_hang_while_hundreds_of_pods_are_created(
    policy: str,
    pool: Pool,
    product: Installation,
    cluster: local.Cluster,
    measured: dict[str, float],
) -> None:
    """With ``Ignore`` no pod is refused, with ``Fail`` none passes, and both heal."""
    values = {"webhook": {"pods": {"failurePolicy": policy}}}
    with product.upgraded(values) if policy == "Fail" else nullcontext():
        pool.quota("team", min=2, max=8)
        since = audit.end(cluster.audit_log)
        with Load(pool) as load:
            eventually(lambda: len(load.made) > 20, True, within=30)
            before = restarts(product)
            for replica in before:
                product.kill(replica)
            eventually(
                lambda: [name for name, count in restarts(product).items() if count > before[name]],
                lambda again: len(again) == 2,
                within=60,
            )
            product.settle()
            with ExitStack() as hung:
                for replica in product.pods(WEBHOOK):
                    hung.enter_context(product.paused(replica))
                time.sleep(3 * PATIENCE["pod"])  # the fault is that they hang
            product.settle()
            reached = len(load.made)
            eventually(lambda: len(load.made) > max(reached + 20, 100), True, within=60)
        assert load.slowest["team"] < PATIENCE["pod"] + MARGIN
        assert load.slowest["system"] < MARGIN
        began = time.monotonic()
        eventually(lambda: pool.used("team"), "8", within=30 + len(load.made))
        eventually(lambda: settled.faults(pool), [], within=60)
        measured[f"webhooks gone and hung, {policy}: until all is as it should be"] = (
            time.monotonic() - began
        )
        evicted = audit.writes(cluster.audit_log, "pods/eviction", pool.namespace, since=since)
        if policy == "Ignore":
            assert load.refused == []
        else:
            assert {each.code for each in load.refused} == {500}
            assert 'calling webhook "pod.elasticquota.dev"' in load.refused[0].message
            assert evicted == []  # none came without the gate
        left = pool.running("team") | pool.gated("team")
        assert len(left) + len({each.name for each in evicted}) == len(load.made)
