"""What the page about backups saves is enough to restore quotas and profiles."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from installation import Kubectl
from saved_quotas import saved
from scenes import Pool, condition
from waiting import eventually


pytestmark = pytest.mark.cluster


def test_quotas_that_are_gone_are_restored_from_what_was_saved(
    pool: Pool, kubectl: Kubectl, tmp_path: Path
) -> None:
    pool.department("dept", min=4, max=8)
    for team in ("a-team", "team"):
        pool.quota(team, parent="dept", min=2, max=4)
    before = saved(kubectl, pool.namespace)
    assert len(before) == 4
    kinds = [each["kind"] for each in before]
    assert kinds == ["ElasticQuotaProfile", *["ElasticQuota"] * 3]
    place = tmp_path / "quotas.json"
    place.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": before}))
    for name in ("a-team", "team", "dept"):
        kubectl("delete", "elasticquota", "-n", pool.namespace, pool.name(name))
    kubectl("delete", "elasticquotaprofile", "-n", pool.namespace, "--all")
    kubectl("delete", "elasticquota", "-n", pool.namespace, "--all")
    eventually(lambda: pool.admin.find("ElasticQuota", pool.root, pool.namespace), None)
    kubectl("apply", "--server-side", "-f", str(place))
    for name in ("dept", "a-team", "team"):
        eventually(partial(pool.get, name), is_accepted)
    assert key(saved(kubectl, pool.namespace)) == key(before)


def is_accepted(quota: dict[str, Any]) -> bool:
    return bool(condition(quota, "Accepted")["status"] == "True")


def key(objects: list[dict[str, Any]]) -> list[str]:
    """What was written of each, in the order of their names."""
    return sorted(json.dumps([each["metadata"]["name"], each["spec"]]) for each in objects)
