"""The columns and messages of kubectl agree with what runs."""

import re

import pytest

from installation import Kubectl
from scenes import Pool, condition
from waiting import eventually


pytestmark = pytest.mark.cluster


def table(printed: str) -> list[dict[str, str]]:
    """Rows of a kubectl table by its headings."""
    heading, *rows = printed.splitlines()
    columns = [(found[0], found.start()) for found in re.finditer(r"\S+", heading)]
    ends = [start for _, start in columns[1:]] + [None]
    return [
        {name: row[start:end].strip() for (name, start), end in zip(columns, ends, strict=True)}
        for row in rows
    ]


def row(kubectl: Kubectl, name: str, *words: str) -> dict[str, str]:
    rows = table(kubectl("get", "elasticquota", "-A", *words))
    return next((found for found in rows if found["NAME"] == name), {})


def test_the_columns_of_kubectl_get_agree_with_what_runs(pool: Pool, kubectl: Kubectl) -> None:
    pool.department("dept", min=8, max=12)
    pool.quota("team", parent="dept", min=4, max=10)
    pool.pods("team", 12)
    eventually(lambda: len(pool.running("team")), 10)
    eventually(lambda: pool.status("team")["summary"]["cpu"], "10/10/4..10")
    eventually(lambda: pool.status("team")["pods"]["gated"], 2)
    found = row(kubectl, pool.name("team"), "-o", "wide")
    assert found["NAMESPACE"] == pool.namespace
    assert found["TREE"] == pool.root
    assert found["PARENT"] == pool.name("dept")
    assert found["CPU"] == f"{len(pool.running('team'))}/10/4..10"
    assert found["PENDING"] == str(len(pool.gated("team")))
    assert found["READY"] == "True"
    assert found["MODE"] == "Enforce"
    above = eventually(
        lambda: row(kubectl, pool.name("dept"), "-o", "wide"),
        lambda cells: (cells.get("CPU"), cells.get("PENDING")) == ("10/10/8..12", "2"),
    )
    assert above["PARENT"] == pool.root
    eventually(lambda: row(kubectl, pool.root)["CPU"], lambda cpu: cpu.startswith("10/16/"))


def test_the_wide_columns_show_min_and_what_is_borrowed(pool: Pool, kubectl: Kubectl) -> None:
    pool.quota("team", min=4, max=10)
    pool.pods("team", 6)
    eventually(lambda: pool.used("team"), "6")
    found = eventually(
        lambda: row(kubectl, pool.name("team"), "-o", "wide"),
        lambda cells: "cpu" in cells.get("BORROWED", ""),
    )
    assert "4" in found["MIN"]
    assert "2" in found["BORROWED"]


def test_a_waiting_pod_shows_as_scheduling_gated_and_describe_says_why(
    pool: Pool, kubectl: Kubectl
) -> None:
    pool.quota("team", min=1, max=1)
    pool.pods("team", 2)
    eventually(lambda: len(pool.running("team")), 1)
    (waiting,) = pool.gated("team")
    eventually(lambda: pool.events(waiting), lambda found: "QuotaWait" in found)
    assert "SchedulingGated" in kubectl("get", "pod", waiting, "-n", pool.namespace)
    described = kubectl("describe", "pod", waiting, "-n", pool.namespace)
    assert "needs 1 cpu; its current share of 1 is in use" in described
    assert f"kubectl elastic-quota explain pod {pool.namespace}/{waiting}" in described
    assert "[QuotaExhausted]" in described


def test_a_team_that_is_idle_reads_what_it_may_use(pool: Pool, kubectl: Kubectl) -> None:
    pool.quota("team", min=4, max=10)
    pool.quota("others", min=0, max=16)
    pool.pods("others", 16)
    eventually(lambda: pool.used("others"), "16")
    eventually(lambda: row(kubectl, pool.name("team")).get("CPU"), "0/4/4..10")


def test_one_word_shows_quotas_and_profiles(pool: Pool, kubectl: Kubectl) -> None:
    found = kubectl("get", "elastic-quotas", "-n", pool.namespace, "-o", "name")
    kinds = {name.partition(".")[0] for name in found.split()}
    assert kinds == {"elasticquota", "elasticquotaprofile"}


@pytest.mark.parametrize("name", ["elasticquota", "eq", "eqs", "elasticquotas"])
def test_kubectl_finds_quotas_by_their_short_names(pool: Pool, kubectl: Kubectl, name: str) -> None:
    assert pool.root in kubectl("get", name, "-n", pool.namespace)


def test_kubectl_finds_profiles_by_their_short_name(pool: Pool, kubectl: Kubectl) -> None:
    eventually(
        lambda: table(kubectl("get", "eqp", "-n", pool.namespace))[0],
        lambda cells: (cells["QUOTA"], cells["NODES"], cells["READY"]) == (pool.root, "2", "True"),
    )


def test_a_quota_says_whether_it_is_accepted(pool: Pool) -> None:
    pool.quota("team", min=1, max=1)
    said = eventually(
        lambda: condition(pool.get("team"), "Accepted"), lambda found: found["status"] == "True"
    )
    assert said["message"] == "guaranteed 1 cpu"
    assert pool.status("team")["observedGeneration"] == 1
