"""``tree`` shows the quotas and what the controller published, nothing else."""

import json
from typing import Any

import pytest

from elasticquota_cli.commands import tree
from elasticquota_cli.printers import table
from elasticquota_cli.printers.output import Form


def quota(name: str, parent: str = "", tree_name: str = "root", **status: Any) -> dict[str, Any]:
    accepted = {"type": "Accepted", "status": "True", "reason": "Accepted"}
    figures = {
        "summary": {"cpu": "1/2/-", "memory": "1Gi/2Gi/-"},
        "pods": {"admitted": 1, "gated": 0},
        "conditions": [accepted],
    }
    return {
        "metadata": {"namespace": "team", "name": name},
        "status": {"tree": tree_name, "parent": parent, **figures, **status},
    }


def shown(*quotas: dict[str, Any], output: Form = "table") -> None:
    tree.write(quotas, output)


def test_quotas_are_listed_below_their_parents(capsys: pytest.CaptureFixture[str]) -> None:
    shown(
        quota("team-b", "dept", pods={"admitted": 3, "gated": 2}),
        quota("root"),
        quota("dept", "root"),
        quota("team-a", "dept"),
        quota("lab", "root"),
    )
    assert capsys.readouterr().out.splitlines() == [
        "QUOTA          NAMESPACE   CPU     MEMORY      PODS   GATED   ACCEPTED",
        "root           team        1/2/-   1Gi/2Gi/-   1      0       True",
        "├─ dept        team        1/2/-   1Gi/2Gi/-   1      0       True",
        "│  ├─ team-a   team        1/2/-   1Gi/2Gi/-   1      0       True",
        "│  └─ team-b   team        1/2/-   1Gi/2Gi/-   3      2       True",
        "└─ lab         team        1/2/-   1Gi/2Gi/-   1      0       True",
    ]


def test_the_built_in_root_of_the_default_tree_has_no_object_and_no_figures() -> None:
    (root,) = tree.plant([quota("a", "koordinator-root-quota", "koordinator-root-quota")])
    assert (root.name, root.manifest) == ("koordinator-root-quota", {})
    assert [child.name for child in root.children] == ["a"]


def test_a_quota_in_no_tree_comes_last_with_its_reason(capsys: pytest.CaptureFixture[str]) -> None:
    refused = {"type": "Accepted", "status": "False", "reason": "ParentNotFound"}
    new = {"metadata": {"namespace": "team", "name": "b-new"}}
    lost = quota("a-lost", "absent", "", conditions=[refused])
    shown(lost, quota("root"), new)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[1:]] == ["root", "a-lost", "b-new"]
    assert lines[2].endswith("False (ParentNotFound)")
    assert lines[3].split() == ["b-new", "team", "-", "-", "-", "-", "-"]


def test_a_tree_that_only_observes_is_marked(capsys: pytest.CaptureFixture[str]) -> None:
    accepted = {"type": "Accepted", "status": "True", "reason": "Accepted"}
    observed = {"type": "Observed", "status": "True", "reason": "TreeOnlyObserves"}
    shown(quota("root"), quota("lab", "root", conditions=[accepted, observed]))
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(" True")[1:] for line in lines[1:]] == [
        (" True", ""),
        (" True", " (observed)"),
    ]


def test_a_stale_cycle_in_the_status_hides_no_quota() -> None:
    top = tree.plant([quota("a", "b"), quota("b", "a")])
    assert sorted(branch.name for branch in top) == ["a", "b"]


def test_json_has_the_whole_tree(capsys: pytest.CaptureFixture[str]) -> None:
    shown(quota("root"), quota("a", "root"), output="json")
    (root,) = json.loads(capsys.readouterr().out)
    assert root["quota"] == "root"
    assert root["children"][0]["status"]["summary"]["cpu"] == "1/2/-"


def test_there_is_no_color_without_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    line = table.Line(("a",), "bad")
    table.show(("QUOTA",), [line])
    assert capsys.readouterr().out.splitlines()[1] == "\033[31ma\033[0m"
    monkeypatch.setenv("NO_COLOR", "1")
    table.show(("QUOTA",), [line])
    assert capsys.readouterr().out.splitlines()[1] == "a"


def test_wide_has_parents_minima_and_why_a_quota_is_not_accepted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    refused = {
        "type": "Accepted",
        "status": "False",
        "reason": "MinSum",
        "message": "its min is more than its parent has left",
    }
    quota = {
        "metadata": {"name": "team-a", "namespace": "teams"},
        "spec": {"min": {"memory": "8Gi", "cpu": "4"}},
        "status": {"tree": "pool", "parent": "pool", "conditions": [refused]},
    }
    tree.write([quota], "wide")
    head, _, line = capsys.readouterr().out.splitlines()
    assert head.split()[-3:] == ["PARENT", "MIN", "MESSAGE"]
    assert line.endswith("pool     4 cpu, 8Gi memory   its min is more than its parent has left")
