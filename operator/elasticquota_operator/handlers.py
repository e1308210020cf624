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
async def configure(settings: kopf.OperatorSettings, memo: kopf.Memo, **_: Any) -> None:
    """First of the start: Kopf's settings, our configuration, and the pages that say how we are."""
    kopf_settings.choose(settings)
    if "runtime" not in memo:
        memo.runtime = await environment.listening_runtime()


@kopf.on.startup(errors=PERMANENT)
async def follow_the_cluster(memo: kopf.Memo, **_: Any) -> None:
    """Then watch nodes, pods and all else that decisions depend on."""
    _runtime(memo).follow()


@kopf.on.startup(errors=PERMANENT)
async def decide(memo: kopf.Memo, **_: Any) -> None:
    """Wait until the caches are filled and the first decision is made; each change brings more."""
    await _runtime(memo).decide()


@kopf.on.startup(errors=PERMANENT)
async def act(memo: kopf.Memo, **_: Any) -> None:
    """Start the writers; while this process does not lead, they get nothing to write."""
    _unbroken(memo).act()


@kopf.on.startup(errors=PERMANENT)
async def elect(memo: kopf.Memo, **_: Any) -> None:
    """Become a candidate for the Lease: its holder's decisions are carried out."""
    _unbroken(memo).elect()


@kopf.on.login(errors=PERMANENT)
async def login(memo: kopf.Memo, **_: Any) -> kopf.AiohttpSession:
    """Our own session: it reads the token again at each request."""
    return kopf_session.of(_runtime(memo).credentials)


@kopf.on.event(paths.PROFILES.group, paths.PROFILES.version, paths.PROFILES.plural)
async def profile(event: kopf.RawEvent, memo: kopf.Memo, **_: Any) -> None:
    """ElasticQuotaProfile: its root quota, tree id and node totals follow.

    The event is over when the root quota is written. Where it cannot be written, Kopf logs why, and
    the writer tries again; only the next event of this profile waits so long.
    """
    key = _runtime(memo).see(paths.PROFILES, event["type"], event["object"])
    if why := await _runtime(memo).unwritten_root(key):
        raise kopf.TemporaryError(why)


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
    if "runtime" not in memo:
        raise kopf.PermanentError("there is no configuration to start with")
    found: Runtime = memo.runtime
    return found


def _unbroken(memo: kopf.Memo) -> Runtime:
    """For a later step of the start: Kopf takes it also when an earlier one has failed."""
    found = _runtime(memo)
    if found.failure is not None:
        raise kopf.PermanentError("a part of the controller broke before this step")
    return found
