"""The queues that pods request are recorded once, from their first pod to their last."""

from typing import Any

import msgspec
import pytest

from elasticquota import names
from elasticquota.integrations.translation import naming
from elasticquota.integrations.yunikorn.requested_queues import PodQueueRequest
from elasticquota.wire.integrations import queue_pods
from elasticquota.wire.kubernetes import holders
from elasticquota.wire.kubernetes.pods import PodManifest
from elasticquota_kube.informer import reflector
from elasticquota_operator.integrations.requesting_pods import RequestingPods


QUOTA = naming.own(("root", "ann"))
ANN = PodQueueRequest(QUOTA, "team", user="ann", groups=("dev",))


def pod(name: str, quota: str = QUOTA, user: str = "ann", queue: str = "", **status: Any) -> Any:
    metadata = {
        "namespace": "team",
        "name": name,
        "labels": {names.QUOTA_NAME: quota, queue_pods.QUEUE: queue},
        "annotations": {holders.STAMP: holders.stamp(user, ["dev"]) if user else ""},
    }
    return msgspec.convert({"metadata": metadata, "status": status}, PodManifest)


class Watched(RequestingPods):
    """Counts the notifications."""

    def __init__(self) -> None:
        self.news = 0
        super().__init__(self._noted)

    def _noted(self) -> None:
        self.news += 1

    def gone(self, name: str) -> None:
        self.delete(reflector.ObjectKey("team", name, ""))


@pytest.fixture
def found() -> Watched:
    return Watched()


def test_only_the_first_and_the_last_pod_of_a_user_notify(found: Watched) -> None:
    for name in ("one", "two"):
        found.upsert(pod(name))
    assert ([*found.all()], found.news) == ([ANN], 1)
    found.gone("one")
    assert ([*found.all()], found.news) == ([ANN], 1)
    found.gone("two")
    found.gone("two")
    assert ([*found.all()], found.news) == ([], 2)


def test_a_changed_pod_requests_its_new_queue(found: Watched) -> None:
    found.upsert(pod("one"))
    found.upsert(pod("one", queue="root.b"))
    assert [asks.queue for asks in found.all()] == ["root.b"]
    found.upsert(pod("one", quota="team"))
    assert not found.all()


def test_a_pod_without_a_stamp_has_no_known_user(found: Watched) -> None:
    found.upsert(pod("one", user=""))
    assert [*found.all()] == [PodQueueRequest(QUOTA, "team")]


def test_an_invalid_queue_name_is_stored_truncated(found: Watched) -> None:
    longest = ".".join(["root", *["x" * 64] * 31])
    found.upsert(pod("one", queue=longest))
    found.upsert(pod("two", queue=longest * 100))
    assert {len(asks.queue) for asks in found.all()} == {len(longest), 2080}


def test_a_finished_pod_requests_nothing(found: Watched) -> None:
    found.upsert(pod("one"))
    found.upsert(pod("one", phase="Succeeded"))
    assert (len(found.all()), found.news) == (0, 2)


def test_pods_of_other_quotas_do_not_notify(found: Watched) -> None:
    found.upsert(pod("one", quota="team"))
    found.gone("one")
    assert (len(found.all()), found.news) == (0, 0)
