"""``simulate`` prints what the controller would do, and its exit code tells scripts."""

import io
import sys
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest
import yaml

from elasticquota_cli import main as cli
from elasticquota_cli.simulate import report


EXAMPLE = Path(__file__).parents[3] / "examples" / "simulate"
TWO_TEAMS = EXAMPLE.parent / "two-teams"
CLUSTER = EXAMPLE / "cluster.yaml"

Screen = pytest.CaptureFixture[str]

PARENT = "quota.scheduling.koordinator.sh/parent"
IDLE = """
kind: ElasticQuota
apiVersion: scheduling.sigs.k8s.io/v1alpha1
metadata: {name: idle}
spec: {min: {cpu: 0}, max: {cpu: 1}}
---
kind: Node
apiVersion: v1
metadata: {name: node-1}
status: {allocatable: {cpu: 4, pods: 110}}
"""


def simulate(*arguments: str | Path) -> int:
    return cli.main(["simulate", *map(str, arguments)])


def written(folder: Path, text: str, name: str = "objects.yaml") -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("golden", "arguments"),
    [
        ("cluster.txt", ()),
        ("cluster.json", ("-o", "json")),
        ("busy-evening.txt", ("--what-if", EXAMPLE / "busy-evening.yaml")),
        ("busy-evening.json", ("--what-if", EXAMPLE / "busy-evening.yaml", "-o", "json")),
        ("lost-node.txt", ("--what-if", EXAMPLE / "lost-node.yaml")),
    ],
)
def test_the_example_prints_its_stored_output(
    golden: str, arguments: tuple[str | Path, ...], capsys: Screen
) -> None:
    assert simulate("-f", CLUSTER, *arguments) == 0
    shown = capsys.readouterr()
    assert shown.out == (EXAMPLE / "output" / golden).read_text(encoding="utf-8")
    assert shown.err == ""


def test_yaml_says_the_same_as_json(capsys: Screen) -> None:
    simulate("-f", CLUSTER, "-o", "yaml")
    as_yaml = yaml.safe_load(capsys.readouterr().out)
    simulate("-f", CLUSTER, "-o", "json")
    assert as_yaml == msgspec.json.decode(capsys.readouterr().out)


@pytest.mark.parametrize("change", [(), ("--what-if", EXAMPLE / "busy-evening.yaml")])
def test_the_report_has_the_published_form(change: tuple[str | Path, ...], capsys: Screen) -> None:
    simulate("-f", CLUSTER, "-o", "json", *change)
    text = capsys.readouterr().out
    found = msgspec.json.decode(text, type=report.Report)
    # The classes that the schema is made from lose nothing.
    assert msgspec.json.decode(msgspec.json.encode(found)) == msgspec.json.decode(text)


def test_the_two_teams_example_ends_as_in_its_readme(capsys: Screen) -> None:
    assert simulate("-f", TWO_TEAMS, "-o", "json") == 0
    found = msgspec.json.decode(capsys.readouterr().out, type=report.Simulation)
    figures = {
        quota.name: (quota.used["cpu"], quota.pods.running, quota.pods.waiting)
        for quota in found.quotas
    }
    assert figures == {
        "cpu-pool": ("48", 12, 6),
        "engineering": ("48", 12, 6),
        "team-a": ("32", 8, 6),
        "team-b": ("16", 4, 0),
        "gpu-pool": ("6", 2, 0),
        "vision": ("6", 2, 0),
    }
    assert {wait.name.rstrip("-012345") for wait in found.waiting} == {"preview"}


@pytest.mark.parametrize("name", ["min-above-max", "min-already-given", "leaf-as-parent"])
def test_an_object_that_the_webhook_refuses_is_refused_with_the_same_message(
    name: str, capsys: Screen
) -> None:
    change = TWO_TEAMS / "refused" / f"{name}.yaml"
    assert simulate("-f", TWO_TEAMS, "--what-if", change, "-o", "json") == 0
    found = msgspec.json.decode(capsys.readouterr().out, type=report.Difference)
    assert found.quotas == []
    assert [refused.message.rsplit(" ", 1)[1][:3] for refused in found.refused] == ["[EQ"]


BROKEN = """
kind: ElasticQuota
apiVersion: scheduling.sigs.k8s.io/v1alpha1
metadata: {name: lost, namespace: lost, labels: {quota.scheduling.koordinator.sh/parent: absent}}
spec: {max: {cpu: 1}}
---
kind: ElasticQuota
apiVersion: scheduling.sigs.k8s.io/v1alpha1
metadata: {name: free, namespace: free}
---
kind: ElasticQuotaProfile
apiVersion: quota.koordinator.sh/v1alpha1
metadata: {name: empty, namespace: sys}
spec: {quotaName: empty, nodeSelector: {matchLabels: {no: node}}}
"""


def test_rejected_quotas_and_profiles_that_are_not_ready_are_listed(
    tmp_path: Path, capsys: Screen
) -> None:
    simulate("-f", written(tmp_path, BROKEN))
    assert capsys.readouterr().out.splitlines() == [
        *(
            "QUOTA   NAMESPACE   RESOURCE   MIN   MAX   REQUEST   USED   RUNTIME   BORROWED   LENT"
            "   RUNNING   WAITING   VERDICT",
            "empty   sys                                                                          "
            "   0         0         Accepted",
            "free    free                                                                         "
            "   0         0         Accepted",
            "lost    lost        cpu        0     1     0         0      -         0          0   "
            "   0         0         ParentNotFound",
        ),
        *("", "NOT ACCEPTED (1)"),
        "NAMESPACE   QUOTA   WHY",
        "lost        lost    there is no quota 'absent'. Create it, or correct the name. [EQ1101]",
        *("", "NOT READY (1)"),
        *("NAMESPACE   PROFILE   WHY", "sys         empty     no node matches spec.nodeSelector"),
    ]


def test_new_and_gone_quotas_and_profiles_are_marked(tmp_path: Path, capsys: Screen) -> None:
    changed = IDLE.replace("name: idle", "name: new")
    gone = IDLE.split("---", maxsplit=1)[0] + "$patch: delete\n---\n"
    profile = BROKEN.split("---")[2]
    change = written(tmp_path, gone + changed + "---" + profile, "change.yaml")
    simulate("-f", written(tmp_path, IDLE), "--what-if", change)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("  ")[0] for line in lines[1:4]] == ["+ empty", "+ new", "- idle"]
    assert lines[5:7] == ["NOT READY (1)", "NAMESPACE   PROFILE   WHY"]


def test_strict_succeeds_when_no_pod_waits(tmp_path: Path) -> None:
    assert simulate("-f", written(tmp_path, IDLE), "--strict") == 0


@pytest.mark.parametrize(
    "trouble",
    [
        pytest.param(
            "kind: Pod\napiVersion: v1\nmetadata: {name: big, namespace: idle, labels: "
            "{quota.scheduling.koordinator.sh/name: idle}}\n"
            "spec: {containers: [{name: a, resources: {requests: {cpu: 2}}}]}",
            id="a pod waits",
        ),
        pytest.param(
            "kind: ElasticQuota\napiVersion: scheduling.sigs.k8s.io/v1alpha1\n"
            "metadata: {name: lost, labels: {quota.scheduling.koordinator.sh/parent: absent}}",
            id="a quota is not accepted",
        ),
        pytest.param(
            "kind: ElasticQuotaProfile\napiVersion: quota.koordinator.sh/v1alpha1\n"
            "metadata: {name: empty}\n"
            "spec: {quotaName: empty, nodeSelector: {matchLabels: {no: node}}}",
            id="a profile has no tree",
        ),
    ],
)
def test_strict_fails_when_something_waits_or_is_refused(trouble: str, tmp_path: Path) -> None:
    file = written(tmp_path, f"{IDLE}---\n{trouble}\n")
    assert simulate("-f", file, "--strict") == 1
    assert simulate("-f", file) == 0


def test_strict_with_a_change_judges_only_the_change(tmp_path: Path) -> None:
    harmless = written(tmp_path, IDLE.split("---", maxsplit=1)[0])
    assert simulate("-f", CLUSTER, "--strict") == 1
    assert simulate("-f", CLUSTER, "--strict", "--what-if", harmless) == 0
    assert simulate("-f", CLUSTER, "--strict", "--what-if", EXAMPLE / "lost-node.yaml") == 1


EVICTED = """
kind: Pod
apiVersion: v1
metadata: {name: borrower, namespace: a}
spec: {containers: [{name: a, resources: {requests: {cpu: 4}}}]}
---
kind: ElasticQuota
apiVersion: scheduling.sigs.k8s.io/v1alpha1
metadata: {name: a, namespace: a}
spec: {max: {cpu: 4}}
---
kind: ElasticQuota
apiVersion: scheduling.sigs.k8s.io/v1alpha1
metadata: {name: b, namespace: b}
spec: {min: {cpu: 4}, max: {cpu: 4}}
---
"""


def test_strict_fails_when_a_pod_is_evicted_although_no_pod_waits_in_the_end(
    tmp_path: Path, capsys: Screen
) -> None:
    base = written(tmp_path, EVICTED + IDLE)
    owner = EVICTED.split("---", maxsplit=1)[0].replace("namespace: a", "namespace: b")
    change = written(tmp_path, owner, "change.yaml")
    assert simulate("-f", base, "--strict") == 0
    assert simulate("-f", base, "--strict", "--what-if", change) == 1
    shown = capsys.readouterr().out
    assert "RECLAIMED (1)" in shown
    assert "STARTS TO WAIT" not in shown


def test_a_change_without_effect_is_reported(tmp_path: Path, capsys: Screen) -> None:
    assert simulate("-f", CLUSTER, "--what-if", CLUSTER) == 0
    assert capsys.readouterr().out == "No figure of a quota changes.\n"


def test_an_empty_result_is_reported(tmp_path: Path, capsys: Screen) -> None:
    assert simulate("-f", written(tmp_path, "# nothing yet\n")) == 0
    assert capsys.readouterr().out == "No ElasticQuota found.\n"


def test_ignored_objects_are_listed_beside_the_results(tmp_path: Path, capsys: Screen) -> None:
    text = "{kind: Service, apiVersion: v1}\n---\n{kind: Service, apiVersion: v1}\n"
    assert simulate("-f", written(tmp_path, text)) == 0
    assert capsys.readouterr().err == (
        "note: skipped, because they have no part in the simulation: Service v1 (2)\n"
    )


def test_a_simulation_without_nodes_is_reported(tmp_path: Path, capsys: Screen) -> None:
    assert simulate("-f", written(tmp_path, IDLE.split("---", maxsplit=1)[0])) == 0
    assert "there is no Node, so the trees have no room" in capsys.readouterr().err


def test_standard_input_is_a_file_too(monkeypatch: pytest.MonkeyPatch, capsys: Screen) -> None:
    stream = SimpleNamespace(buffer=io.BytesIO(CLUSTER.read_bytes()))
    monkeypatch.setattr(sys, "stdin", stream)
    assert simulate("-f", "-") == 0
    assert capsys.readouterr().out == (EXAMPLE / "output" / "cluster.txt").read_text("utf-8")


def test_standard_input_is_read_only_once(capsys: Screen) -> None:
    assert simulate("-f", "-", "--what-if", "-") == 2
    assert capsys.readouterr().err == ("elastic-quota: standard input (-) can be read only once\n")


def test_the_controllers_configuration_counts(tmp_path: Path, capsys: Screen) -> None:
    paused = written(tmp_path, "reclaim: {paused: true}", "config.yaml")
    change = ("--what-if", EXAMPLE / "busy-evening.yaml", "-o", "json")
    simulate("-f", CLUSTER, *change, "--config", paused)
    found = msgspec.json.decode(capsys.readouterr().out, type=report.Difference)
    assert (found.reclaims, [wait.name for wait in found.starts_waiting]) == (
        [],
        ["report-0", "report-1"],
    )


def test_without_a_default_quota_pods_without_a_quota_are_not_counted(
    tmp_path: Path, capsys: Screen
) -> None:
    stray = """
kind: Pod
apiVersion: v1
metadata: {name: stray, namespace: elsewhere}
spec:
  containers: [{resources: {requests: {cpu: 99}}}]
  schedulingGates: [{name: elasticquota.dev/admission}]
"""
    file = written(tmp_path, f"{IDLE}---{stray}")
    none = written(tmp_path, "accounting: {defaultQuota: false}", "config.yaml")
    assert simulate("-f", file, "--config", none, "-o", "json", "--strict") == 0
    shown = capsys.readouterr()
    assert "note: pods of no team's quota, held by no quota: 1\n" in shown.err
    assert msgspec.json.decode(shown.out, type=report.Simulation).waiting == []


def test_pods_may_name_a_parent_quota_where_the_configuration_allows_it(
    tmp_path: Path, capsys: Screen
) -> None:
    pod = """
kind: Pod
apiVersion: v1
metadata: {name: p, namespace: any, labels: {quota.scheduling.koordinator.sh/name: idle}}
spec: {containers: [{resources: {requests: {cpu: 1}}}]}
"""
    parent = "{name: idle, labels: {quota.scheduling.koordinator.sh/is-parent: 'true'}}"
    file = written(tmp_path, f"{IDLE.replace('{name: idle}', parent)}---{pod}")
    open_door = written(tmp_path, "rules: {overrides: {PD1301: off}}", "config.yaml")
    assert simulate("-f", file, "--strict") == 1
    assert "[PD1301]" in capsys.readouterr().out
    assert simulate("-f", file, "--strict", "--config", open_door) == 0


def test_pods_of_unknown_quotas_are_refused_where_configured(
    tmp_path: Path, capsys: Screen
) -> None:
    pod = """
kind: Pod
apiVersion: v1
metadata: {name: p, namespace: any, labels: {quota.scheduling.koordinator.sh/name: ghost}}
spec: {containers: [{resources: {requests: {cpu: 1}}}]}
"""
    file = written(tmp_path, f"{IDLE}---{pod}")
    strict_door = written(tmp_path, "rules: {overrides: {PD1306: deny}}", "config.yaml")
    assert simulate("-f", file, "--config", strict_door) == 0
    assert "there is no quota 'ghost'" in capsys.readouterr().out
    assert simulate("-f", file) == 0
    assert "ghost" not in capsys.readouterr().out


def test_equal_keys_are_required_where_configured(tmp_path: Path, capsys: Screen) -> None:
    text = """
kind: ElasticQuota
apiVersion: scheduling.sigs.k8s.io/v1alpha1
metadata: {name: dept, namespace: d, labels: {quota.scheduling.koordinator.sh/is-parent: 'true'}}
spec: {max: {cpu: 4, memory: 1Gi}}
---
kind: ElasticQuota
apiVersion: scheduling.sigs.k8s.io/v1alpha1
metadata: {name: a, namespace: a, labels: {quota.scheduling.koordinator.sh/parent: dept}}
spec: {max: {cpu: 4}}
"""
    base = written(tmp_path, text.split("---", maxsplit=1)[0], "base.yaml")
    change = written(tmp_path, text.split("---")[1], "change.yaml")
    equal = written(tmp_path, "rules: {overrides: {EQ1103-equal: deny}}", "config.yaml")
    assert simulate("-f", base, "--what-if", change) == 0
    assert "[EQ1103]" not in capsys.readouterr().out
    assert simulate("-f", base, "--what-if", change, "--config", equal) == 0
    assert "[EQ1103]" in capsys.readouterr().out


def test_a_bad_configuration_is_bad_input(tmp_path: Path, capsys: Screen) -> None:
    file = written(tmp_path, "leese: {}", "config.yaml")
    assert simulate("-f", CLUSTER, "--config", file) == 2
    assert "unknown key, did you mean lease?" in capsys.readouterr().err


def test_without_a_file_there_is_nothing_to_simulate(capsys: Screen) -> None:
    with pytest.raises(SystemExit) as ended:
        simulate()
    assert ended.value.code == 2
    assert "-f/--filename" in capsys.readouterr().err
