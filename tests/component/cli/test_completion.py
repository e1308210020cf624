"""A shell is offered verbs, flags, values and live names; errors offer nothing."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from api_double import ApiDouble, Refusal
from elasticquota import names
from elasticquota_cli import candidates
from elasticquota_cli import main as cli
from elasticquota_kube.client import paths


@pytest.fixture(autouse=True)
async def double(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[ApiDouble]:
    """A cluster with a root, two quotas and a pod, as the kubeconfig in force."""
    async with ApiDouble() as double:
        for namespace, name, labels in (
            ("system", "pool-root", {names.IS_ROOT: "true"}),
            ("teams", "team-a", {}),
            ("other", "team-b", {}),
        ):
            meta = {"namespace": namespace, "name": name, "labels": labels}
            double.put(paths.QUOTAS, {"metadata": meta})
        double.put(paths.PODS, {"metadata": {"namespace": "default", "name": "web-1"}})
        double.put(paths.PODS, {"metadata": {"namespace": "teams", "name": "train"}})
        monkeypatch.setenv("KUBECONFIG", str(double.kubeconfig(tmp_path)))
        yield double


async def after(line: str) -> list[str]:
    """The candidates at the end of the line; a space at its end begins a new word."""
    return await asyncio.to_thread(candidates.of, line.split(" "))


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("ex", ["explain", "export"]),
        ("-n teams ex", ["explain", "export"]),
        ("help tr", ["tree"]),
        ("--v", ["--version"]),
        ("explain --conf", ["--config"]),
        ("tree -o ", ["json", "name", "table", "wide", "yaml"]),
        ("tree --output=j", ["--output=json"]),
        ("config ", ["check", "show"]),
        ("config show --d", ["--defaults"]),
        ("completion z", ["zsh"]),
        ("observe o", ["off", "on"]),
        ("observe ", ["off", "on"]),
        ("conquer ", []),
        ("explain ", ["job", "pod", "quota"]),
        ("explain quota ", ["pool-root", "team-a", "team-b"]),
        ("explain quota team-a ", []),
        ("explain eq/team", ["eq/team-a", "eq/team-b"]),
        ("explain pod ", ["web-1"]),
        ("explain pod t", []),
        ("explain -n teams pod ", ["train"]),
        ("-n teams explain po/", ["po/train"]),
        ("explain quota -n other ", ["team-b"]),
        ("pause tree ", ["pool-root"]),
        ("observe on ", ["pool-root"]),
        ("tree -n t", ["teams"]),
        ("tree --context ", ["double"]),
    ],
)
async def test_a_line_goes_on_with_what_fits(line: str, found: list[str]) -> None:
    assert await after(line) == found


async def test_a_user_who_may_read_one_namespace_is_offered_its_names(double: ApiDouble) -> None:
    refusal = Refusal(403, "Forbidden", "no")
    double.faults.answer(refusal, times=9, method="GET", path="v1alpha1/elasticquotas")
    assert await after("explain quota ") == []
    double.put(paths.QUOTAS, {"metadata": {"namespace": "default", "name": "mine"}})
    assert await after("explain quota ") == ["mine"]


async def test_without_a_cluster_nothing_is_offered_and_nothing_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KUBECONFIG", "/nowhere")
    assert await asyncio.to_thread(cli.main, ["__complete", "explain", "pod", ""]) == 0
    shown = capsys.readouterr()
    assert (shown.out.strip(), shown.err) == ("", "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "kubectl"])
def test_each_shell_has_a_script(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["completion", shell]) == 0
    assert "__complete" in capsys.readouterr().out
