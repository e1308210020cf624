"""The command line turns an error into one sentence and an exit code."""

import asyncio
import os
import signal
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from api_double import ApiDouble
from api_double.waiting import until
from elasticquota_cli import main as cli
from elasticquota_cli import verbs
from elasticquota_cli.commands import run
from elasticquota_config.model import Configuration
from elasticquota_kube import log
from elasticquota_kube.client import paths


@pytest.fixture(autouse=True)
def a_clean_place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Hide the developer's credentials, and keep this process's logs unchanged."""
    monkeypatch.setattr(log, "configure", lambda *_: None)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("KUBECONFIG", raising=False)


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["version"]) == 0
    assert capsys.readouterr().out.startswith("elastic-quota 0.")


def test_as_a_plugin_the_usage_names_kubectl(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["/usr/bin/kubectl-elastic_quota"])
    assert cli.main(["--help"]) == 0
    assert "  kubectl elastic-quota COMMAND [flags]\n" in capsys.readouterr().out


def test_an_unknown_command_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["conquer"])
    assert ended.value.code == 2
    assert capsys.readouterr().err.splitlines() == [
        "error: unknown command 'conquer'",
        "See 'elastic-quota --help' for usage.",
    ]


def test_the_nearest_command_and_flag_are_suggested(capsys: pytest.CaptureFixture[str]) -> None:
    tried = {
        ("tre",): "error: unknown command 'tre'; did you mean tree?",
        ("tree", "--contxt", "x"): "error: unknown flag --contxt; did you mean --context?",
    }
    for words, line in tried.items():
        with pytest.raises(SystemExit) as ended:
            cli.main(words)
        assert ended.value.code == 2
        assert capsys.readouterr().err.splitlines()[0] == line


@pytest.mark.parametrize("name", verbs.ELSEWHERE)
def test_a_verb_of_kubectl_that_is_none_here_leads_to_the_command_that_does_it(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert verbs.of(name) is None
    with pytest.raises(SystemExit) as ended:
        cli.main([name, "quota", "team-a"])
    assert ended.value.code == 2
    line = capsys.readouterr().err.splitlines()[0]
    assert line == f"error: unknown command '{name}'; {verbs.ELSEWHERE[name]}"
    named = [words.split()[0] for words in line.split("'")[3::2]]
    assert named
    assert all(verb == "kubectl" or verbs.of(verb) for verb in named)


def test_each_verb_has_a_module_with_its_arguments_and_a_parser() -> None:
    for verb in verbs.VERBS:
        parser = verb.parser("elastic-quota")
        assert parser.description
        assert verb.does[0].islower()
        assert not verb.does.endswith(".")


@pytest.mark.parametrize("verb", verbs.VERBS, ids=lambda verb: verb.name)
def test_the_help_of_each_verb_ends_with_examples_that_it_understands(
    verb: verbs.Verb, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main([verb.name, "--help"])
    assert ended.value.code == 0
    _, _, shown = capsys.readouterr().out.partition("\nexamples:\n")
    lines = shown.splitlines()
    assert lines
    for line in lines:
        program, name, *words = line.split()
        assert (program, name) == ("elastic-quota", verb.name)
        verb.parser(program).read(words)  # a word that it does not know ends the process


def test_the_help_of_the_program_ends_with_examples_that_its_verbs_understand(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert cli.main(["--help"]) == 0
    _, _, shown = capsys.readouterr().out.partition("\nExamples:\n")
    lines = shown.partition("\n\n")[0].splitlines()
    assert len(lines) >= 5
    for line in lines:
        program, name, *words = line.split()
        verb = verbs.of(name)
        assert (program, line[:2]) == ("elastic-quota", "  ")
        assert verb is not None
        verb.parser(program).read(words)  # a word that it does not know ends the process


def test_a_bad_configuration_gives_one_line_per_fault(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "config.yaml"
    file.write_text("reclaim: {graceSeconds: -1}\nleese: {}\n", encoding="utf-8")
    assert cli.main(["run", "controller", "--config", str(file)]) == 2
    assert capsys.readouterr().err.splitlines() == [
        "elastic-quota: leese: unknown key, did you mean lease?",
        "elastic-quota: reclaim.graceSeconds: must be at least 0, got -1",
    ]


def test_without_credentials_the_error_says_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["tree"], ["run", "controller"]):
        assert cli.main(arguments) == 1
        assert "no credentials for a Kubernetes API server" in capsys.readouterr().err


def test_an_unreachable_api_server_is_reported_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nowhere = ApiDouble().kubeconfig(tmp_path)
    assert cli.main(["tree", "--kubeconfig", str(nowhere)]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("elastic-quota: cannot read the elasticquotas: no connection to ")


def test_a_port_in_use_is_reported_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBECONFIG", str(ApiDouble().kubeconfig(tmp_path)))
    monkeypatch.setenv("POD_IP", "127.0.0.1")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        file = tmp_path / "config.yaml"
        port = taken.getsockname()[1]
        file.write_text(f"controller: {{port: {port}}}", encoding="utf-8")
        assert cli.main(["run", "controller", "--config", str(file)]) == 1
    lines = [line for line in capsys.readouterr().err.splitlines() if line.startswith("elastic")]
    assert len(lines) == 1
    assert "address already in use" in lines[0]


@pytest.mark.parametrize("given", [True, False])
def test_a_process_gets_its_configuration_and_the_file_to_follow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: bool
) -> None:
    told: list[tuple[int, Path | None]] = []

    async def process(chosen: Configuration, file: Path | None) -> None:
        told.append((chosen.controller.port, file))

    monkeypatch.setattr(run, "_processes", lambda _: (process,))
    file = tmp_path / "config.yaml"
    file.write_text("controller: {port: 8090}", encoding="utf-8")
    words = ["--config", str(file)] if given else []
    assert cli.main(["run", "controller", *words]) == 0
    assert told == [(8090, file) if given else (8080, None)]


async def test_sigterm_ends_the_controller_in_order(
    tmp_path: Path, unused_tcp_port_factory: Callable[[], int]
) -> None:
    file = tmp_path / "config.yaml"
    own, alive = unused_tcp_port_factory(), unused_tcp_port_factory()
    file.write_text(f"controller: {{port: {own}, livenessPort: {alive}}}", encoding="utf-8")
    async with ApiDouble() as double:
        environment = {
            **os.environ,
            "KUBECONFIG": str(double.kubeconfig(tmp_path)),
            "POD_IP": "127.0.0.1",
            "POD_NAME": "one",
            "POD_NAMESPACE": "default",
        }
        command = [sys.executable, "-m", "elasticquota_cli.main", "run", "controller"]
        process = await asyncio.create_subprocess_exec(
            *command, "--config", str(file), env=environment, stderr=asyncio.subprocess.PIPE
        )
        try:
            await until(lambda: double.objects(paths.LEASES), within=20)
            process.send_signal(signal.SIGTERM)
            _, said = await asyncio.wait_for(process.communicate(), 10)
        finally:
            if process.returncode is None:
                process.kill()
        assert process.returncode == 0
        assert b"controller ended" in said
        assert double.objects(paths.LEASES)[0]["spec"]["holderIdentity"] == ""
