"""Say which teams wait and for how long, as a handler of Kopf that knows the type of its object.

    pip install 'elastic-quota-operator[api]'
    kopf run -A examples/python/who_waits.py

It only reads: `kopf.on.event` writes nothing to the object, and no line becomes an Event.
"""

from typing import Any

import kopf

from elasticquota_api import ElasticQuota


@kopf.on.startup()
def only_log(settings: kopf.OperatorSettings, **_: Any) -> None:
    """Keep the lines of the handler in the log of this program."""
    settings.posting.enabled = False


@kopf.on.event("scheduling.sigs.k8s.io", "v1alpha1", "elasticquotas")
def say_who_waits(body: kopf.Body, logger: kopf.Logger, **_: Any) -> None:
    """Log how many pods of the quota wait, and how long the first of them may wait."""
    quota = ElasticQuota.read(body)
    if quota.status is None or quota.status.pods is None or not quota.status.pods.gated:
        return
    estimate = quota.status.wait_estimate
    expected = (estimate and estimate.expected) or "unknown"
    logger.info("waiting pods: %d; the next one: %s", quota.status.pods.gated, expected)
