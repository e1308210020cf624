"""``-o``: each verb has the forms of its help, they say the same, and others are refused."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

from api_double import ApiDouble
from elasticquota import names
from elasticquota_cli import main as cli
from elasticquota_cli import verbs
from elasticquota_kube.client import paths
from simulated import METERING, Screen


CLUSTER = str(Path(__file__).parents[3] / "examples" / "simulate" / "cluster.yaml")
CHANGE = str(Path(__file__).parents[3] / "examples" / "simulate" / "busy-evening.yaml")
OVERVIEW = str(Path(__file__).parents[3] / "examples" / "overview")
QUOTA = "elasticquota.scheduling.sigs.k8s.io"
WRITTEN = ("json", "yaml", "name")


CHANGING = re.compile(
    r'"(?:resourceVersion|uid|creationTimestamp|elapsedMilliseconds|until)": [^,}]+'
)


class Row(NamedTuple):
    """A command, the form that it has without ``-o``, the others, and what ``-o name`` prints."""

    words: tuple[str, ...]
    default: str
    forms: tuple[str, ...]
    names: tuple[str, ...] = ()
    code: int = 0


IN_FILES = ("-f", CLUSTER)
ROWS = {
    "tree": Row(("tree",), "table", ("wide", *WRITTEN), (f"{QUOTA}/team-a", f"{QUOTA}/team-b")),
    "explain": Row(
        ("explain", "pod", "web-6", "-n", "team-a", *IN_FILES),
        "wide",
        ("text", *WRITTEN),
        ("pod/web-6",),
    ),
    "why": Row(
        ("why", "deploy/web", "-n", "team-a", *IN_FILES), "text", ("wide", *WRITTEN), ("pod/web-6",)
    ),
    "pending": Row(("pending", "-A"), "table", ("wide", *WRITTEN), (f"{QUOTA}/team-a",)),
    "top": Row(
        ("top", "-A", "-f", OVERVIEW),
        "table",
        ("wide", *WRITTEN),
        (f"{QUOTA}/team-a", f"{QUOTA}/team-b"),
    ),
    "history": Row(
        ("history", "-A", "-f", OVERVIEW), "table", ("wide", *WRITTEN), (f"{QUOTA}/team-a",)
    ),
    "usage": Row(("usage", "-A"), "table", ("csv", *WRITTEN), (f"{QUOTA}/team-a",)),
    "doctor": Row(("doctor", *IN_FILES), "text", ("json", "yaml")),
    "pause": Row(("pause", "eq/team-a", "-y"), "text", WRITTEN, (f"{QUOTA}/team-a",)),
    "resume": Row(("resume", "eq/team-a", "-y"), "text", WRITTEN, (f"{QUOTA}/team-a",)),
    "observe": Row(("observe", "on", "root", "-y"), "text", WRITTEN, (f"{QUOTA}/root",)),
    "release": Row(("release", "--all"), "table", WRITTEN, ("pod/late",)),
    "simulate": Row(("simulate", *IN_FILES), "table", ("wide", "json", "yaml")),
    "plan": Row(
        ("plan", "-f", CHANGE, "--report", CLUSTER), "text", ("json", "yaml", "markdown"), code=3
    ),
}
WITHOUT = {"import", "export", "config", "completion", "version", "run"}
"""Verbs that print manifests, a script or a line, and have no ``-o``."""
READ_A_FILE = {verb for verb, row in ROWS.items() if {CLUSTER, OVERVIEW} & {*row.words}}


@pytest.fixture
async def double() -> AsyncIterator[ApiDouble]:
    async with ApiDouble() as double:
        quota(double, "root", labels={names.IS_ROOT: "true", names.TREE_ID: "t"})
        for name in ("team-a", "team-b"):
            quota(double, name, labels={names.PARENT: "root"})
        double.put(
            paths.PODS,
            {
                "metadata": {
                    "namespace": "teams",
                    "name": "late",
                    "labels": {names.QUOTA_NAME: "team-a"},
                },
                "spec": {"schedulingGates": [{"name": names.GATE}], "containers": []},
            },
        )
        yield double


def quota(double: ApiDouble, name: str, labels: dict[str, str]) -> None:
    meta = {"namespace": "teams", "name": name, "labels": labels}
    spec = {"min": {"cpu": "2"}}
    double.put(paths.QUOTAS, {"metadata": meta, "spec": spec, "status": {"metering": METERING}})


async def printed(double: ApiDouble, folder: Path, capsys: Screen, verb: str, *words: str) -> str:
    row = ROWS[verb]
    login = () if verb in READ_A_FILE else ("--kubeconfig", str(double.kubeconfig(folder)))
    code = await asyncio.to_thread(cli.main, (*row.words, *words, *login))
    shown = capsys.readouterr()
    assert code == row.code, shown.err
    return shown.out


def test_every_verb_is_in_the_table_or_has_no_forms() -> None:
    assert {verb.name for verb in verbs.VERBS} == ROWS.keys() | WITHOUT
    for verb in verbs.VERBS:
        has = verb.parser("elastic-quota").action_of("-o")
        assert (has is None) == (verb.name in WITHOUT)


@pytest.mark.parametrize("verb", ROWS)
def test_the_help_lists_the_forms_of_the_verb(verb: str) -> None:
    action = verbs.of(verb).parser("elastic-quota").action_of("-o")  # type: ignore[union-attr]  # it is there
    assert action is not None
    assert tuple(action.choices or ()) == (ROWS[verb].default, *ROWS[verb].forms)


@pytest.mark.parametrize("verb", ROWS)
async def test_yaml_says_the_same_as_json(
    double: ApiDouble, tmp_path: Path, capsys: Screen, verb: str
) -> None:
    # A second release would find nothing.
    once = ("--dry-run",) if verb == "release" else ()
    texts = [
        await printed(double, tmp_path, capsys, verb, *once, "-o", form)
        for form in ("json", "yaml")
    ]
    found = [json.loads(texts[0]), yaml.safe_load(texts[1])]
    assert found[0]
    both = [CHANGING.sub("", json.dumps(each, default=str)) for each in found]
    assert both[0] == both[1]


@pytest.mark.parametrize("verb", [verb for verb, row in ROWS.items() if "name" in row.forms])
async def test_names_are_those_that_kubectl_takes(
    double: ApiDouble, tmp_path: Path, capsys: Screen, verb: str
) -> None:
    shown = await printed(double, tmp_path, capsys, verb, "-o", "name")
    assert set(shown.splitlines()) >= set(ROWS[verb].names)
    assert all(re.fullmatch(r"[a-z.0-9]+/[a-z.0-9-]+", line) for line in shown.splitlines())


@pytest.mark.parametrize("verb", [verb for verb, row in ROWS.items() if "wide" in row.forms])
async def test_wide_has_all_that_the_table_has(
    double: ApiDouble, tmp_path: Path, capsys: Screen, verb: str
) -> None:
    table = (await printed(double, tmp_path, capsys, verb)).split()
    wide = (await printed(double, tmp_path, capsys, verb, "-o", "wide")).split()
    assert set(table) <= set(wide)


@pytest.mark.parametrize("verb", ROWS)
@pytest.mark.parametrize("form", ["wide", "name", "markdown", "xml"])
def test_a_form_that_a_verb_does_not_have_is_refused(verb: str, form: str, capsys: Screen) -> None:
    forms = (ROWS[verb].default, *ROWS[verb].forms)
    if form in forms:
        return
    with pytest.raises(SystemExit) as ended:
        cli.main([*ROWS[verb].words, "-o", form])
    assert ended.value.code == 2
    assert capsys.readouterr().err == (
        f"error: argument -o/--output: '{form}' is not there for this command; it has "
        f"{', '.join(forms[:-1])} and {forms[-1]}\n"
        f"See 'elastic-quota {verb} --help' for usage.\n"
    )


def test_a_template_of_kubectl_is_refused_with_what_to_use(capsys: Screen) -> None:
    with pytest.raises(SystemExit):
        cli.main(["top", "-o", "jsonpath={.items}"])
    assert capsys.readouterr().err.startswith(
        "error: argument -o/--output: 'jsonpath={.items}' is not there for this command; it has "
        "table, wide, json, yaml and name; -o json and jq pick fields\n"
    )


@pytest.mark.parametrize("form", WRITTEN)
async def test_what_a_writing_verb_shows_people_does_not_mix_with_the_object(
    double: ApiDouble, tmp_path: Path, capsys: Screen, form: str
) -> None:
    kubeconfig = str(double.kubeconfig(tmp_path))
    words = ("pause", "eq/team-a", "-y", "-o", form, "--kubeconfig", kubeconfig)
    assert await asyncio.to_thread(cli.main, words) == 0
    shown = capsys.readouterr()
    assert "+  paused: true\n" in shown.err
    assert "paused." not in shown.out
    if form != "name":
        assert yaml.safe_load(shown.out)["spec"] == {"min": {"cpu": "2"}, "paused": True}


async def test_a_dry_run_prints_the_object_as_it_would_be(
    double: ApiDouble, tmp_path: Path, capsys: Screen
) -> None:
    kubeconfig = str(double.kubeconfig(tmp_path))
    words = ("pause", "eq/team-a", "--dry-run", "-o", "json", "--kubeconfig", kubeconfig)
    assert await asyncio.to_thread(cli.main, words) == 0
    assert json.loads(capsys.readouterr().out)["spec"] == {"min": {"cpu": "2"}, "paused": True}
    assert double.object(paths.QUOTAS, "teams", "team-a")["spec"] == {"min": {"cpu": "2"}}
