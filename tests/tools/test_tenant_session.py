"""Two recordings of a session are equal but for random names, ages and times."""

from pathlib import Path

import pytest

from tenant_session import comparable
from tenant_session.recorder import Recorder, SessionError


PAGE = """Four pods wait.

```console
$ kubectl get pods
web-788cc4b64c-24x22   0/1   SchedulingGated   0   80s
web-788cc4b64c-gdc2t   1/1   Running           0   80s
```
"""


@pytest.mark.parametrize(
    ("part", "other"),
    [
        ("80s", "2m5s"),
        ("24x22", "zzzzz"),
        ("   0/1   ", " 0/1 "),
    ],
)
def test_what_differs_in_every_cluster_is_no_difference(part: str, other: str) -> None:
    assert comparable.difference(PAGE, PAGE.replace(part, other)) == ""


def test_the_order_of_lines_is_no_difference() -> None:
    *head, first, second, end = PAGE.splitlines()
    assert comparable.difference(PAGE, "\n".join([*head, second, first, end])) == ""


@pytest.mark.parametrize(
    ("part", "other", "shown"),
    [
        ("Running", "Pending", "+ web-POD 1/1 Pending 0 AGE"),
        ("Four pods", "Five pods", "+ Five pods wait."),
        ("get pods", "get jobs", "+ $ kubectl get jobs"),
    ],
)
def test_a_word_that_differs_is_shown(part: str, other: str, shown: str) -> None:
    assert shown in comparable.difference(PAGE, PAGE.replace(part, other)).splitlines()


def test_a_line_that_is_there_twice_is_a_difference() -> None:
    line = "web-788cc4b64c-24x22   0/1   SchedulingGated   0   80s\n"
    assert comparable.difference(PAGE, PAGE.replace(line, line * 2)) != ""


def test_a_missing_block_is_a_difference() -> None:
    block = PAGE[PAGE.index("```") :]
    assert comparable.difference(PAGE + block, PAGE) != ""


@pytest.mark.parametrize(
    "sentence",
    [
        "Waiting for quota team-a: needs {} cpu; all 48 of its current share are in use.",
        "pods that borrow are evicted for it after {} s.",
        "{} pods of team-a were evicted for pod team-b/api-5568744b88-w2b6b and 3 more.",
    ],
)
def test_the_figures_of_a_sentence_have_to_agree(sentence: str) -> None:
    pages = [f"```console\n{sentence.format(figure)}\n```\n" for figure in (4, 5)]
    assert comparable.difference(*pages) != ""


def test_a_session_shows_commands_with_what_they_print(tmp_path: Path) -> None:
    recorder = Recorder({"alice": tmp_path / "config"}, [], tmp_path)
    recorder.say("Alice looks.")
    recorder.run("alice", "echo note >&2; echo $KUBECONFIG", "true")
    assert recorder.page == (
        "Alice looks.\n\n```console\n$ echo note >&2; echo $KUBECONFIG\nnote\n"
        f"{tmp_path}/config\n$ true\n```\n"
    )


def test_a_command_that_fails_ends_the_session(tmp_path: Path) -> None:
    recorder = Recorder({"alice": tmp_path / "config"}, [], tmp_path)
    with pytest.raises(SessionError, match="exit code 3\nno such pod"):
        recorder.run("alice", "echo no such pod >&2; exit 3")
