"""Says in the answer to a dry run of a user whether the pod would wait (``forecast.pod_summary``).

No API call is made and nothing is counted. Webhook down: the API server answers without the
sentence. Stale cache: the figures are about a second old. Races: pods that come at the same time
are not known to each other.
"""

import structlog

from elasticquota.forecast import pod_summary
from elasticquota.forest.structure import Forest
from elasticquota.model.pod import Pod
from elasticquota_webhooks.cache.caches import Caches
from elasticquota_webhooks.cache.published import stored_as


log = structlog.get_logger(__name__)


def summary(pod: Pod, quota: str, forest: Forest, caches: Caches) -> tuple[str, ...]:
    """The sentence about a pod that is held in ``quota``; none where nothing is published."""
    try:
        return _summary(pod, quota, forest, caches)
    except Exception as error:
        # A fault in a warning must not be one of the pod.
        log.exception("a dry run could not be summed up", error=type(error).__name__)
        return ()


def _summary(pod: Pod, quota: str, forest: Forest, caches: Caches) -> tuple[str, ...]:
    path = forest.path(quota)
    if not path:
        return ()
    request = caches.accounting.sized(pod).request
    asked = [stored_as(forest.quotas[name], forest) for name in path]
    published = caches.published.of_keys(asked, request.keys())
    waiting, estimate = caches.published.waits(asked[0])
    text = pod_summary.of(request, forest.quotas[quota], path, published, waiting, estimate)
    return (text,) if text else ()
