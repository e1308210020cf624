"""The controller's start by our code and by that of another checkout, in turns.

    PYTHONPATH=operator:webhooks:tools python -m benchmarks.starts --before FOLDER

Each turn is a process in the folder of its code, with the packages of this environment, so that
each code reads objects that its own definitions have. ``replay`` is the start on the lists of a
large cluster, ``cluster`` the restart on a real API server, for both the one of this checkout.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from benchmarks import measure
from local_cluster import binaries


HERE: Final = Path(__file__).parent.parent
_REPLAY: Final = """
import json
from benchmarks import replay_cases
from benchmarks.cluster_lists import Cluster
with replay_cases._reading(Cluster(pods={pods}, nodes={nodes}, quotas={quotas})) as (process, _):
    begun = replay_cases._begun(process)
print(json.dumps({{"start, CPU s": begun.cpu_seconds, "start, wall s": begun.wall_seconds,
                   "memory, MiB": begun.resident / 2**20}}))
"""
_CLUSTER: Final = """
import asyncio, json
from benchmarks import busy_cluster, busy_cluster_cases
async def main():
    async with busy_cluster.opened() as estate:
        await estate.fill({pods})
        rows = [row async for row in busy_cluster_cases._restarts(estate, {restarts})]
    named = {{row.case.partition(": ")[2] + ", " + row.unit: row.figure for row in rows}}
    print(json.dumps(named))
asyncio.run(main())
"""


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("what", choices=("replay", "cluster"))
    asked.add_argument("--before", type=Path, metavar="FOLDER", required=True)
    asked.add_argument("--turns", type=int, default=5)
    asked.add_argument("--pods", type=int, help="50,000 in replay, 5,000 in a cluster")
    asked.add_argument("--restarts", type=int, default=3, help="of each cluster")
    chosen = asked.parse_args()
    pods = chosen.pods or (50_000 if chosen.what == "replay" else 5_000)
    script = (_REPLAY if chosen.what == "replay" else _CLUSTER).format(
        pods=pods, nodes=pods // 10, quotas=pods // 25, restarts=chosen.restarts
    )
    print(f"load {os.getloadavg()[0]:.1f} before, {pods:,} pods, medians of {chosen.turns} turns")
    programs = _programs() if chosen.what == "cluster" else {}
    found: dict[Path, list[Mapping[str, float]]] = {}
    with tempfile.TemporaryDirectory() as compiled:
        for turn in range(chosen.turns + 1):
            for code in (chosen.before.resolve(), HERE):
                figures = _run(code, script, compiled, programs)
                measure.say(f"turn {turn}, {'ours' if code == HERE else 'before'}: {figures}")
                if turn:  # the first one compiles the modules
                    found.setdefault(code, []).append(figures)
    theirs, ours = found.values()
    for case in ours[0]:
        now, then = (statistics.median(each[case] for each in side) for side in (ours, theirs))
        print(f"{case:40}{now:10.2f}   before {then:10.2f}   ratio {now / then:.2f}")


def _programs() -> dict[str, str]:
    """Where the programs of a control plane are, as either code looks them up."""
    (folder,) = {path.parent for path in binaries.find(measure.say).values()}
    return {"KUBEBUILDER_ASSETS": str(folder)}


def _run(
    code: Path, script: str, compiled: str, programs: Mapping[str, str]
) -> Mapping[str, float]:
    path = os.pathsep.join(str(code / part) for part in ("", "operator", "webhooks", "tools"))
    inherited = {key: text for key, text in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    ran = subprocess.run(
        [sys.executable, "-P", "-c", script],
        cwd=code,
        env={**inherited, **programs, "PYTHONPATH": path, "PYTHONPYCACHEPREFIX": compiled},
        stdout=subprocess.PIPE,
        check=True,
    )
    figures: dict[str, float] = json.loads(ran.stdout.splitlines()[-1])
    return figures


if __name__ == "__main__":
    main()
