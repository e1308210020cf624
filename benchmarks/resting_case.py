"""A thousand quotas at rest: how often anything writes them, by the API server's own counters.

The controller's counters would miss a write that another process makes. Nothing runs or waits in
the quotas, and each has all of its conditions before the minute begins.
"""

import asyncio
from typing import Final

from prometheus_client.parser import text_string_to_metric_families

from benchmarks import local_fixture, measure
from benchmarks.local_fixture import Playground
from benchmarks.table import Row, Target
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Document
from elasticquota_kube.client.rest.session import SessionRequest


QUOTAS: Final = 1_000
_MINUTE: Final = 60.0
_PATIENCE: Final = 600.0
_WRITES: Final = frozenset({"APPLY", "DELETE", "PATCH", "POST", "PUT"})


async def all_cases(ground: Playground) -> list[Row]:
    """Wait until each quota has its conditions, then count the writes of a minute."""
    await ground.controller(replicas=1)
    await ground.quotas({f"resting-{number}": 0 for number in range(QUOTAS)})
    case = f"{QUOTAS:,} quotas"
    measure.say(f"{case}: until each is Ready and nothing is written")
    await _settled(ground)
    measure.say("a minute at rest")
    before = await _writes(ground)
    await asyncio.sleep(_MINUTE)
    row = Row(f"{case}, at rest: writes of quotas a minute", await _writes(ground) - before, "",
              Target(0), note=f"{before:,} until then")  # fmt: skip
    return [row]


async def _settled(ground: Playground) -> None:
    seen = -1
    async with asyncio.timeout(_PATIENCE):
        while True:
            stored = await ground.api.list(paths.QUOTAS, local_fixture.TEAMS)
            now = await _writes(ground)
            if now == seen and sum(map(_is_ready, stored)) >= QUOTAS:
                return
            seen = now
            await asyncio.sleep(5)


def _is_ready(quota: Document) -> bool:
    conditions = quota.get("status", {}).get("conditions", ())
    return any((each["type"], each["status"]) == ("Ready", "True") for each in conditions)


async def _writes(ground: Playground) -> int:
    """Writes of quotas and of their statuses since the API server started."""
    page = SessionRequest("get", "metrics", "GET", "/metrics", accept="text/plain")
    text = (await ground.api.within(_MINUTE).send(page)).decode()
    # The other families of the page are large.
    lines = [line for line in text.splitlines() if line.startswith("apiserver_request_total{")]
    head = "# TYPE apiserver_request_total counter"
    return sum(
        int(found.value)
        for family in text_string_to_metric_families("\n".join([head, *lines, ""]))
        for found in family.samples
        if found.labels["resource"] == "elasticquotas" and found.labels["verb"] in _WRITES
    )
