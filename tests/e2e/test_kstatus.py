"""What kstatus, by which Flux and others judge objects, makes of quotas and profiles.

The tool is built from ``tools/kstatus``.
"""

import json
import subprocess
from pathlib import Path

import pytest

from local_cluster import build
from scenes import Pool, condition
from users import Document
from waiting import eventually


pytestmark = pytest.mark.cluster

TOOL = build.Recipe(build.TOOLS / "kstatus", "", {"kstatus": "."}, takes="about 1 min")


@pytest.fixture(scope="module")
def kstatus() -> Path:
    return build.ensure(["kstatus"], print, TOOL)["kstatus"]


def judged(kstatus: Path, *objects: Document) -> list[str]:
    """The status of each object, without its message."""
    given = json.dumps(objects)
    done = subprocess.run([kstatus], input=given, capture_output=True, text=True, check=True)
    return [line.split()[0] for line in done.stdout.splitlines()]


def test_an_accepted_quota_and_its_profile_are_current(pool: Pool, kstatus: Path) -> None:
    pool.quota("team", min=1, max=1)
    found = eventually(
        lambda: pool.get("team"), lambda quota: condition(quota, "Ready")["status"] == "True"
    )
    profile = eventually(
        lambda: pool.admin.get("ElasticQuotaProfile", "pool", pool.namespace),
        lambda profile: condition(profile, "Ready")["status"] == "True",
    )
    assert judged(kstatus, found, profile) == ["Current", "Current"]


def test_an_edited_quota_is_in_progress_until_the_controller_has_seen_it(
    pool: Pool, kstatus: Path
) -> None:
    pool.quota("team", min=1, max=1)
    found = eventually(
        lambda: pool.get("team"), lambda quota: condition(quota, "Ready")["status"] == "True"
    )
    found["metadata"]["generation"] += 1
    assert judged(kstatus, found) == ["InProgress"]


def test_a_refused_quota_has_failed(pool: Pool, kstatus: Path) -> None:
    """Stored as before the webhook was there: its status is written by hand as the controller's."""
    pool.quota("team", min=1, max=1)
    found = eventually(
        lambda: pool.get("team"), lambda quota: condition(quota, "Ready")["status"] == "True"
    )
    for each in found["status"]["conditions"]:
        if each["type"] in ("Accepted", "Ready"):
            each["status"] = "False"
    refused = {**condition(found, "Ready"), "type": "Stalled", "status": "True"}
    found["status"]["conditions"].append(refused)
    assert judged(kstatus, found) == ["Failed"]
