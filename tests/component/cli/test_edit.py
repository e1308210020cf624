"""The verbs that write show the difference, ask, and change one object, or nothing."""

import io
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from api_double import ApiDouble, Refusal
from elasticquota import names
from elasticquota_kube.client import paths
from live_cluster import Live
from stored import Document


Screen = pytest.CaptureFixture[str]


@pytest.fixture
async def double(tmp_path: Path, capsys: Screen) -> AsyncIterator[Live]:
    async with Live(tmp_path, capsys) as double:
        root = {names.IS_ROOT: "true", names.TREE_ID: "t", names.PROFILE: "pool"}
        quota(double, "system", "pool-root", labels=root)
        double.put(paths.PROFILES, {"metadata": {"namespace": "system", "name": "pool"}})
        quota(double, "teams", "dept")
        quota(double, "teams", "team-a", labels={names.PARENT: "dept"}, spec={"min": {"cpu": "2"}})
        yield double


def quota(double: ApiDouble, namespace: str, name: str, **parts: Any) -> None:
    meta = {"namespace": namespace, "name": name, "labels": parts.pop("labels", {})}
    double.put(paths.QUOTAS, {"metadata": meta, **parts})


def stored(double: ApiDouble, name: str = "team-a", namespace: str = "teams") -> dict[str, Any]:
    return double.object(paths.QUOTAS, namespace, name)


async def test_pause_sets_one_field_and_resume_removes_it(double: Live) -> None:
    assert await double.run("pause", "quota", "team-a", "--yes") == 0
    assert stored(double)["spec"] == {"min": {"cpu": "2"}, "paused": True}
    shown = double.said().out
    assert "+  paused: true\n" in shown
    assert shown.endswith("\nelasticquota teams/team-a paused.\n")
    assert await double.run("resume", "eq/team-a", "-y") == 0
    assert stored(double)["spec"] == {"min": {"cpu": "2"}}


async def test_the_difference_is_shown_and_a_dry_run_changes_nothing(double: Live) -> None:
    assert await double.run("pause", "quota", "team-a", "--dry-run") == 0
    assert double.said().out.splitlines() == [
        "@@ -4,2 +4,3 @@",
        "   min:",
        "     cpu: '2'",
        "+  paused: true",
        "elasticquota teams/team-a would be paused (dry run).",
    ]
    assert stored(double)["spec"] == {"min": {"cpu": "2"}}


async def test_the_difference_leaves_out_the_copy_that_kubectl_apply_keeps(double: Live) -> None:
    copy = {"kubectl.kubernetes.io/last-applied-configuration": '{"kind":"ElasticQuota"}'}
    double.edit(paths.QUOTAS, "teams", "team-a", lambda it: it["metadata"].update(annotations=copy))
    assert await double.run("pause", "quota", "team-a", "--yes") == 0
    assert "last-applied" not in double.said().out
    assert stored(double)["metadata"]["annotations"] == copy
    assert stored(double)["spec"]["paused"] is True


async def test_the_mode_of_a_tree_is_written_on_the_profile_that_it_follows(double: Live) -> None:
    assert await double.run("observe", "on", "pool-root", "--yes") == 0
    profile = double.object(paths.PROFILES, "system", "pool")
    assert profile["spec"]["enforcement"] == names.OBSERVE
    assert "spec" not in stored(double, "pool-root", "system")
    assert await double.run("observe", "off", "team-a", "--yes") == 1
    assert "quota 'team-a' is not the root of a tree" in double.said().err


async def test_without_a_terminal_nothing_is_changed_unless_yes_is_said(
    double: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    assert await double.run("pause", "quota", "team-a") == 1
    assert "standard input is no terminal to ask on; --yes" in double.said().err
    assert stored(double)["spec"] == {"min": {"cpu": "2"}}


@pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("Yes\n", 0), ("\n", 1), ("", 1)])
async def test_on_a_terminal_it_asks_and_only_yes_changes_something(
    double: Live, monkeypatch: pytest.MonkeyPatch, answer: str, code: int
) -> None:
    typed = io.StringIO(answer)
    monkeypatch.setattr(typed, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stdin", typed)
    assert await double.run("pause", "quota", "team-a") == code
    assert ("paused" in stored(double)["spec"]) is (code == 0)


async def test_a_refusal_of_the_webhook_is_printed_as_it_is_and_before_the_write(
    double: Live,
) -> None:
    refusal = Refusal(403, "Forbidden", "spec.min.cpu: 30 is too much. Lower it. [EQ1007]")
    double.faults.answer(refusal, method="PATCH", path="elasticquotas")
    assert await double.run("pause", "quota", "team-a", "--yes") == 1
    assert double.said().err.splitlines() == [
        "elastic-quota: elasticquota teams/team-a is not changed: spec.min.cpu: 30 is too much. "
        "Lower it. [EQ1007]"
    ]
    assert [call.method for call in double.calls].count("PATCH") == 1


async def test_what_is_so_already_is_not_written(double: Live) -> None:
    assert await double.run("resume", "quota", "team-a", "--yes") == 0
    assert double.said().out == "elasticquota teams/team-a is so already.\n"
    assert [call.method for call in double.calls].count("PATCH") == 1  # the dry run


@pytest.mark.parametrize(
    ("words", "code", "line"),
    [
        (("pause", "quota", "tem-a"), 1, "there is no quota 'tem-a'; did you mean team-a?"),
        (("pause", "tree", "team-a"), 1, "quota 'team-a' is not the root of a tree"),
        (("pause", "qota", "team-a"), 2, "'qota team-a': unknown kind 'qota'; did you mean quota?"),
        (("pause", "a/b", "-n", "c"), 2, "'a/b': unknown kind 'a'"),
        (
            ("pause", "quota", "a/b", "-n", "c"),
            2,
            "'a/b' is in namespace a, but --namespace says c",
        ),
    ],
)
async def test_bad_input_is_one_line(
    double: Live, words: tuple[str, ...], code: int, line: str
) -> None:
    assert await double.run(*words) == code
    assert double.said().err.startswith(f"elastic-quota: {line}")


class Slow:
    """A terminal whose user agrees after the object has changed."""

    def __init__(self, double: ApiDouble, change: Callable[[Document], object]) -> None:
        self._double = double
        self._change = change

    def isatty(self) -> bool:
        return True

    def readline(self) -> str:
        self._double.edit(paths.QUOTAS, "teams", "team-a", self._change)
        return "y\n"


def other_spec(found: Document) -> None:
    found["spec"].update(max={"cpu": "9"})


def other_pause(found: Document) -> None:
    found["spec"]["paused"] = False


def other_status(found: Document) -> None:
    found["status"] = {"used": {"cpu": "1"}}
    found["metadata"].setdefault("annotations", {})["example.com/seen"] = "now"


async def test_a_status_that_changes_meanwhile_holds_up_no_edit(
    double: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That of a busy quota changes every second, and a user reads for longer."""
    monkeypatch.setattr(sys, "stdin", Slow(double, other_status))
    assert await double.run("pause", "quota", "team-a") == 0


@pytest.mark.parametrize("change", [other_spec, other_pause])
async def test_an_object_that_has_changed_since_it_was_read_is_not_overwritten(
    double: Live, monkeypatch: pytest.MonkeyPatch, change: Callable[[Document], object]
) -> None:
    monkeypatch.setattr(sys, "stdin", Slow(double, change))
    assert await double.run("pause", "quota", "team-a") == 1
    line = double.said().err.splitlines()[-1]
    assert "elasticquota teams/team-a has changed meanwhile; nothing was changed: run it" in line
    found = stored(double)
    assert found["spec"]["min"] == {"cpu": "2"}
    assert not found["spec"].get("paused")
