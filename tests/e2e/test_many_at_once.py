"""Replicas can each admit a child quota that only fits alone; the controller's verdict decides.

A replica cannot count what it has not seen yet, so more may be stored than the parent has. Within
seconds the oldest that fit have their guarantee, and every other one says why it has none.
"""

import copy
import os
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

import tenants
from installation import WEBHOOK, Installation
from scenes import Pool, condition
from users import Document, RefusedError, User
from waiting import eventually


pytestmark = [pytest.mark.cluster, pytest.mark.usefixtures("admission")]

MANY = 200
MIN = 50
PATIENCE = 30.0
ROUNDS = int(os.environ.get("ROUNDS", "1"))
"""``ROUNDS=100`` is the long form."""
REFUSED = "422 [EQ1104]"


def asks_for(number: int) -> int:
    """One to four cpus."""
    return 1 + number % 4


def children(pool: Pool) -> list[Document]:
    """The children that were stored, in the order of their creation."""
    found = [
        quota
        for quota in pool.admin.list("ElasticQuota", pool.namespace)
        if quota["metadata"]["name"].startswith("child-")
    ]
    return sorted(
        found,
        key=lambda quota: (quota["metadata"]["creationTimestamp"], quota["metadata"]["uid"]),
    )


def create_all(pool: Pool) -> Counter[str]:
    """Create ``MANY`` children at the same time; returns how often each answer occurred."""
    configuration = copy.copy(pool.admin.configuration)
    configuration.connection_pool_maxsize = MANY
    somebody = User(configuration)
    together = Barrier(MANY)

    def create(number: int) -> str:
        manifest = pool.quota_manifest(
            f"child-{number}", parent="dept", min=asks_for(number), max=MIN
        )
        together.wait()
        try:
            somebody.create(manifest)
        except RefusedError as refused:
            return f"{refused.code} {refused.message[-8:]}"
        return "stored"

    with ThreadPoolExecutor(MANY) as crowd:
        answers = Counter(crowd.map(create, range(MANY)))
    somebody.close()
    return answers


def verdicts(stored: list[Document]) -> dict[str, str]:
    return {quota["metadata"]["name"]: condition(quota, "Accepted")["reason"] for quota in stored}


def expected(stored: list[Document]) -> dict[str, str]:
    """The expected verdicts: the oldest first; a quota that does not fit is skipped."""
    left, found = MIN, {}
    for quota in stored:
        asked = int(quota["spec"]["min"]["cpu"])
        fits = asked <= left
        left -= asked if fits else 0
        found[quota["metadata"]["name"]] = "Accepted" if fits else "MinExceedsParent"
    return found


def settled(pool: Pool, within: float) -> list[Document]:
    """The stored children once all have the verdict that their order requires."""
    return eventually(lambda: children(pool), lambda seen: verdicts(seen) == expected(seen), within)


def assert_the_parent_is_not_promised_twice(pool: Pool, stored: list[Document]) -> None:
    accepted = [quota for quota in stored if condition(quota, "Accepted")["status"] == "True"]
    assert sum(int(quota["spec"]["min"]["cpu"]) for quota in accepted) <= MIN
    for quota in stored:
        if quota in accepted:
            continue
        said = condition(quota, "Accepted")
        assert (said["status"], said["reason"]) == ("False", "MinExceedsParent")
        asked = quota["spec"]["min"]["cpu"]
        assert said["message"].startswith(f"spec.min.cpu: {asked} must be less than or equal to ")
        assert f"the unreserved min of parent '{pool.name('dept')}' (min {MIN}, " in said["message"]


@pytest.mark.timeout(120 + 20 * ROUNDS)
def test_a_11_200_children_created_at_once_through_three_replicas(
    pool: Pool, product: Installation, measured: dict[str, float]
) -> None:
    pool.department("dept", min=MIN, max=MIN)
    longest = 0.0
    with product.with_replicas(WEBHOOK, 3):
        for _ in range(ROUNDS):
            answers = create_all(pool)
            assert answers[REFUSED] + answers["stored"] == MANY
            began = time.monotonic()
            stored = settled(pool, within=PATIENCE)
            longest = max(longest, time.monotonic() - began)
            assert len(stored) == answers["stored"]
            assert_the_parent_is_not_promised_twice(pool, stored)
            for quota in stored:
                pool.admin.delete("ElasticQuota", quota["metadata"]["name"], pool.namespace)
    measured[f"until the verdicts on {len(stored)} of {MANY} children stood"] = longest


def test_a_11_200_children_created_at_once_while_nobody_judges(
    pool: Pool, measured: dict[str, float]
) -> None:
    """More than any number of replicas could admit; writing 200 statuses takes its time."""
    pool.department("dept", min=MIN, max=MIN)
    with tenants.without_webhooks(pool.admin):
        assert create_all(pool) == {"stored": MANY}
        began = time.monotonic()
        stored = settled(pool, within=PATIENCE)
        measured[f"until the verdicts on all {MANY} children stood"] = time.monotonic() - began
    assert_the_parent_is_not_promised_twice(pool, stored)
