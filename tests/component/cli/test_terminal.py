"""In a real terminal: completion of each shell that is installed, and the help. Needs tmux."""

import os
import secrets
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from waiting import eventually


TMUX = shutil.which("tmux")
SHELLS = {
    "bash": ("bash --norc --noprofile", "source <(elastic-quota completion bash)"),
    "zsh": ("zsh -f", "autoload -U compinit; compinit -u; source <(elastic-quota completion zsh)"),
    "fish": ("fish --no-config", "elastic-quota completion fish | source"),
}
pytestmark = pytest.mark.skipif(TMUX is None, reason="tmux is not installed")


class Terminal:
    """A terminal of 100 columns with one shell in it."""

    def __init__(self, socket: Path, shell: str) -> None:
        self._tmux = (str(TMUX), "-S", str(socket), "-f", "/dev/null")
        environment = {
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "HOME": str(socket.parent),
            "KUBECONFIG": "/nowhere",
            "LC_ALL": "C.UTF-8",
            "PS1": "ready> ",
        }
        subprocess.run(
            [*self._tmux, "new-session", "-d", "-x", "100", "-y", "50", shell],
            env=environment,
            check=True,
        )

    def type(self, *keys: str) -> None:
        subprocess.run([*self._tmux, "send-keys", "--", *keys], check=True)

    def screen(self) -> str:
        done = subprocess.run(
            [*self._tmux, "capture-pane", "-p"], check=True, capture_output=True, text=True
        )
        return done.stdout

    def shows(self, text: str) -> None:
        """Wait until the text is on the screen."""
        eventually(self.screen, lambda seen: text in seen, within=60)

    def close(self) -> None:
        subprocess.run([*self._tmux, "kill-server"], check=False, capture_output=True)


@pytest.fixture(params=list(SHELLS))
def terminal(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Terminal]:
    shell, setup = SHELLS[request.param]
    if shutil.which(request.param) is None:
        pytest.skip(f"{request.param} is not installed")
    found = Terminal(tmp_path / "socket", shell)
    try:
        done = f"set-{secrets.token_hex(3)}"
        found.type(f"{setup}; echo {done[:3]}''{done[3:]}", "Enter")
        found.shows(f"\n{done}")
        yield found
    finally:
        found.close()


def test_a_tab_completes_the_verb_and_then_its_flag(terminal: Terminal) -> None:
    terminal.type("elastic-quota simul", "Tab")
    terminal.shows("elastic-quota simulate")
    terminal.type("--stri", "Tab")
    terminal.shows("elastic-quota simulate --strict")


def test_the_help_lists_the_verbs_with_run_last_and_fits_the_screen(terminal: Terminal) -> None:
    terminal.type("clear; elastic-quota --help", "Enter")
    terminal.shows("COMMAND --help' for more about a command.")
    lines = terminal.screen().splitlines()
    listed = [line.split()[0] for line in lines if line.startswith("  ") and "   " in line.strip()]
    assert listed[0] == "tree"
    assert listed[-1] == "run"
