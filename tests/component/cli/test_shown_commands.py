"""Pages show exactly what a command prints."""

import pytest

import screens


SHOWN = {
    "../README.md": 1,
    "doctor.md": 1,
    "explain.md": 2,
    "how-to/plan-quotas.md": 1,
    "how-to/pod-waits.md": 1,
    "import.md": 9,
    "pools.md": 1,
    "tutorials/first-quota.md": 2,
    "tutorials/gpu-pool.md": 2,
}
"""How many commands each page shows with their output."""


@pytest.mark.parametrize(
    ("command", "printed"), [screen for page in SHOWN for screen in screens.of(page)]
)
def test_each_command_of_a_page_prints_the_output_below_it(
    command: str,
    printed: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    now = screens.printed(command, monkeypatch, capsys)
    assert now == printed, "run: make reference"


def test_the_pages_have_such_commands() -> None:
    assert {page: len(screens.of(page)) for page in SHOWN} == SHOWN
