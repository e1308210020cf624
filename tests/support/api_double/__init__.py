"""A small Kubernetes API server for component tests, checked against the real one by a contract.

It has real resource versions, lists in pages, watches with bookmarks and WatchList, 410 in both
forms, 409 for stale writes, merge and JSON patches, the subresources status and eviction (with
disruption budgets and scripted refusals), label and field selectors, finalizers and the grace of
bound pods, discovery, and a switch for each way in which all of this fails.

It has no admission, no schemas and defaults, no authorization, no server-side apply, no generated
names, no controllers and no scheduler: use the local cluster where those matter.

    async with ApiDouble() as double:
        double.put(paths.PODS, {"metadata": {"namespace": "team", "name": "a"}, "spec": {}})
        async with Api(Credentials(double.url)) as api: ...
        double.faults.answer(refusals.throttled(), times=2, method="GET")

Any difference from the real server is a defect of this package: `api_contract` (next to it) states
the common behavior and runs against both.
"""

from api_double import refusals
from api_double.faults import Faults
from api_double.kinds import Kind
from api_double.refusals import Refusal
from api_double.server import ApiDouble, Call


__all__ = ["ApiDouble", "Call", "Faults", "Kind", "Refusal", "refusals"]
