"""Problems that users of other quota systems meet, and ours do not.

docs/explanation/comparison.md lists them. This file has the cases that no other test shows.
"""

import pytest

from scenes import Pool, condition, refusal
from waiting import eventually


pytestmark = [pytest.mark.cluster, pytest.mark.usefixtures("admission")]

TWINS = 60
FAR_BELOW = 310


def test_sixty_equal_pods_that_wait_all_say_why(pool: Pool) -> None:
    pool.quota("team", min=1, max=1)
    pool.pod("first", "team")
    eventually(lambda: pool.running("team"), {"first"})
    twins = pool.pods("team", TWINS, prefix="twin")

    def silent() -> list[str]:
        reason = f"Waiting for quota {pool.name('team')}: "
        told = {
            pod["metadata"]["name"]: condition(pod, "PodScheduled").get("message", "")
            for pod in pool.admin.list("Pod", pool.namespace)
        }
        return [twin for twin in twins if not told[twin].startswith(reason)]

    eventually(silent, [], within=15)


def test_pods_far_below_the_max_of_a_new_quota_are_admitted_at_once(
    pool: Pool,
) -> None:
    teams = [f"team-{number}" for number in range(10)]
    for team in teams:
        pool.quota(team, min={"cpu": "1500m"}, max=16)
        pool.pods(team, FAR_BELOW // len(teams), cpu="40m", run_for="1s")
    eventually(pool.gated, set(), within=30)
    waits = [
        event["message"]
        for event in pool.admin.list("Event", pool.namespace)
        if event["reason"] == "QuotaWait"
    ]
    assert waits == []


def test_creating_a_quota_that_exists_is_a_conflict_and_nothing_else(pool: Pool) -> None:
    pool.quota("team", min=1, max=2)
    assert refusal(lambda: pool.quota("team", min=1, max=2)).code == 409
    assert refusal(lambda: pool.quota("team", min=2, max=4)).code == 409
