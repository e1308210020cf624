"""The operator's table of contents: Kopf's handlers, and the one function that each of them calls.

``elastic-quota run controller`` and ``kopf run -m elasticquota_operator.handlers`` start the same
operator on Kopf's own loop; ``memo.runtime`` carries it. Kopf owns the life cycle (start, stop,
signals, liveness) and watches the kinds of low rate. Pods, nodes and namespaces come through
reflectors, which cost a seventieth per event (decision kopf-frames-the-controller).

Handlers are plain ``on.event`` handlers and return nothing, so Kopf writes nothing to users'
objects: no annotation, no finalizer, no status. An event is level-triggered: it puts the newest
state into a cache, and the next decision cycle does the rest.
"""

from typing import Any, Final

import kopf

from elasticquota_kube.client import paths
from elasticquota_operator import environment, kopf_session, kopf_settings
from elasticquota_operator.runtime import Runtime


PERMANENT: Final = kopf.ErrorsMode.PERMANENT
"""What cannot start ends the process; the kubelet tries again, with its own back-off."""


@kopf.on.startup(errors=PERMANENT)
async def start(settings: kopf.OperatorSettings, memo: kopf.Memo, **_: Any) -> None:
    """Fill the caches, make the first decision, become a candidate for the Lease."""
    kopf_settings.choose(settings)
    if "runtime" not in memo:
        memo.runtime = await environment.runtime()
    await _runtime(memo).start()


@kopf.on.login(errors=PERMANENT)
async def login(memo: kopf.Memo, **_: Any) -> kopf.AiohttpSession:
    """Our own session: it reads the token again at each request."""
    return kopf_session.of(_runtime(memo).credentials)


@kopf.on.event(paths.PROFILES.group, paths.PROFILES.version, paths.PROFILES.plural)
async def profile(event: kopf.RawEvent, memo: kopf.Memo, **_: Any) -> None:
    """ElasticQuotaProfile: its root quota, tree id and node totals follow."""
    _runtime(memo).see(paths.PROFILES, event["type"], event["object"])


@kopf.on.event(paths.QUOTAS.group, paths.QUOTAS.version, paths.QUOTAS.plural)
async def quota(event: kopf.RawEvent, memo: kopf.Memo, **_: Any) -> None:
    """ElasticQuota: its verdict, runtime and status follow."""
    _runtime(memo).see(paths.QUOTAS, event["type"], event["object"])


@kopf.on.probe(errors=PERMANENT)
async def watches(memo: kopf.Memo, **_: Any) -> dict[str, int]:
    """Seconds since the last answer of the API server to each watch; fails for a dead watch."""
    return _runtime(memo).watches()


@kopf.on.probe(errors=PERMANENT)
async def decisions(memo: kopf.Memo, **_: Any) -> int:
    """Decision cycles since the start."""
    return _runtime(memo).cycles()


@kopf.on.probe(errors=PERMANENT)
async def leadership(memo: kopf.Memo, **_: Any) -> str:
    """``leader`` or ``standby``."""
    return _runtime(memo).role()


@kopf.on.cleanup(errors=PERMANENT)
async def stop(memo: kopf.Memo, **_: Any) -> None:
    """Stop writing, then release the Lease."""
    if "runtime" in memo:
        await _runtime(memo).stop()


def _runtime(memo: kopf.Memo) -> Runtime:
    found: Runtime = memo.runtime
    return found
