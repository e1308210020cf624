"""How long one whole decision takes: books, runtimes, releases, reclaim and statuses.

Everything is recomputed each time (the incremental engine comes later), so this is the work behind
every debounced change. Prints medians of repeated runs; compare figures of one run only.
"""

import statistics
import sys
import time
from pathlib import Path


sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "support"))

from worlds import World


SIZES = ((10, 100, 10), (100, 1_000, 100), (100, 5_000, 500), (1_000, 5_000, 500))
RUNS = 5


def world(quotas: int, pods: int, nodes: int) -> World:
    """Departments of ten teams; half of the pods run, half wait; demand is twice the supply."""
    made = World(nodes=nodes, cpu=8)
    supply = nodes * 8
    departments = max(1, quotas // 10)
    for number in range(departments):
        made.quota(f"dept-{number}", min=supply // departments, is_parent=True)
        for team in range(quotas // departments):
            made.quota(f"team-{number}-{team}", parent=f"dept-{number}")
    teams = [quota.name for quota in made.ledger.quotas.values() if not quota.is_parent]
    each = max(1, 2 * supply // pods)
    for number in range(pods):
        waiting = number % 2 == 1
        made.pods(teams[number % len(teams)], cpu=min(each, 8), waiting=waiting)
    return made


def milliseconds(made: World) -> float:
    started = time.perf_counter()
    made.decide()
    return (time.perf_counter() - started) * 1000


def main() -> None:
    print(f"{'quotas':>7} {'pods':>6} {'nodes':>6} {'median ms':>10} {'min':>8} {'max':>8}")
    for quotas, pods, nodes in SIZES:
        made = world(quotas, pods, nodes)
        times = [milliseconds(made) for _ in range(RUNS)]
        print(
            f"{quotas:>7} {pods:>6} {nodes:>6} {statistics.median(times):>10.1f}"
            f" {min(times):>8.1f} {max(times):>8.1f}"
        )


if __name__ == "__main__":
    main()
