"""Tries reviews on the real routes: each gets an answer or a sentence, never an error of ours.

The caches contain a small forest, so that parents, names and sums are found or missed. The examples
are reviews as the API server sent them (``tests/fuzz/reviews.json``); the API server has no pods.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from elasticquota.wire.admission import review
from elasticquota.wire.quota.profiles import ProfileManifest
from elasticquota.wire.quota.quotas import QuotaManifest
from elasticquota_config.model import Configuration
from elasticquota_kube.client.api import Page
from elasticquota_webhooks import routes
from elasticquota_webhooks.cache import reflectors
from elasticquota_webhooks.cache.caches import Caches
from elasticquota_webhooks.cache.live_quotas import LiveQuotas
from elasticquota_webhooks.reviews.metrics import Metrics


LONGEST_SENTENCE: Final = 64 * 1024
RECORDED: Final[Mapping[str, Any]] = msgspec.json.decode(
    (Path(__file__).parents[2] / "fuzz" / "reviews.json").read_bytes()
)
"""By name: ``path`` and ``review``."""

_PARENT: Final = "quota.scheduling.koordinator.sh/parent"
_IS_PARENT: Final = "quota.scheduling.koordinator.sh/is-parent"
_PROFILE: Final = {
    "metadata": {"name": "pool", "namespace": "team"},
    "spec": {"quotaName": "root", "nodeSelector": {"matchLabels": {"pool": "gpu"}}},
}


class _Empty:
    """An API server without objects."""

    async def pages(self, *_: object, **__: object) -> AsyncIterator[Page[msgspec.Raw]]:
        yield msgspec.json.decode(b'{"metadata": {}, "items": []}', type=Page[msgspec.Raw])

    async def create(self, *_: object, **__: object) -> dict[str, object]:
        """Every user may do everything."""
        return {"status": {"allowed": True}}


def _quota(name: str, parent: str, *, is_parent: bool = False) -> dict[str, Any]:
    labels = {_IS_PARENT: str(is_parent).lower()} | ({_PARENT: parent} if parent else {})
    amounts = {"cpu": "40", "memory": "80Gi"}
    meta = {"name": name, "namespace": "team", "uid": name, "labels": labels}
    return {"metadata": meta, "spec": {"min": amounts, "max": amounts}}


class Trials:
    """One replica; ``one`` may be called any number of times."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._caches = Caches(Configuration().what_counts("elastic-quota-system"))
        for stored in (
            _quota("dept", "", is_parent=True),
            _quota("team-a", "dept"),
            _quota("team-b", "dept"),
        ):
            self._caches.quotas.upsert(msgspec.convert(stored, QuotaManifest))
        self._caches.profiles.upsert(msgspec.convert(_PROFILE, ProfileManifest))
        for store in (self._caches.quotas, self._caches.profiles, self._caches.namespaces):
            store.synced()
        api: Any = _Empty()
        live_quotas = LiveQuotas(
            api,
            reflectors.of_quotas(api, self._caches),
            reflectors.of_profiles(api, self._caches, lambda _: None),
        )
        self._routes = routes.table(self._caches, live_quotas, api, Configuration(), Metrics())
        self.paths = tuple(self._routes)

    def close(self) -> None:
        self._loop.close()

    def one(self, path: str, body: bytes) -> float:
        """Send one review; returns the processor time in seconds.

        Raises on anything but an answer.
        """
        started = time.process_time()
        try:
            answer = self._loop.run_until_complete(self._routes[path].answer(body))
        except review.ReviewError as error:
            _said(str(error))
        else:
            _answered(answer)
        return time.process_time() - started


def _answered(answer: bytes) -> None:
    response = msgspec.json.decode(answer)["response"]
    assert response["uid"]
    if not response["allowed"]:
        _said(response["status"]["message"])
        assert 400 <= response["status"]["code"] < 500
    for warning in response.get("warnings", ()):
        _said(warning)


def _said(sentence: str) -> None:
    assert 0 < len(sentence) <= LONGEST_SENTENCE
    assert "Traceback" not in sentence
