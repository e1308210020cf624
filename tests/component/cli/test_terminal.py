"""In a terminal: completion of bash, and of zsh and fish where they are installed, and the help."""

import os
import pty
import secrets
import select
import shutil
import subprocess
import sys
import termios
from collections.abc import Iterator
from pathlib import Path

import pyte
import pytest

from waiting import eventually


SHELLS = {
    "bash": ("bash --norc --noprofile -i", "source <(elastic-quota completion bash)"),
    "zsh": (
        "zsh -f -i",
        "autoload -U compinit; compinit -u; source <(elastic-quota completion zsh)",
    ),
    "fish": ("fish --no-config -i", "elastic-quota completion fish | source"),
}
KEYS = {"Enter": "\r", "Tab": "\t"}
LINES, COLUMNS = 50, 100
# A shell waits for keys only on the terminal that its session controls.
IN_TERMINAL = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
    "os.execvp(sys.argv[1], sys.argv[1:])"
)


class Screen(pyte.Screen):
    """The screen of a terminal that answers what the shell asks it, as fish does first."""

    def __init__(self, master: int) -> None:
        super().__init__(COLUMNS, LINES)
        self._master = master

    def write_process_input(self, data: str) -> None:
        os.write(self._master, data.encode())


class Terminal:
    """A terminal of 100 columns with one shell in it."""

    def __init__(self, home: Path, shell: str) -> None:
        self._master, slave = pty.openpty()
        termios.tcsetwinsize(slave, (LINES, COLUMNS))
        self._screen = Screen(self._master)
        self._stream = pyte.ByteStream(self._screen)
        environment = {
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "HOME": str(home),
            "KUBECONFIG": "/nowhere",
            "LC_ALL": "C.UTF-8",
            "PS1": "ready> ",
            "TERM": "linux",
        }
        self._process = subprocess.Popen(
            [sys.executable, "-c", IN_TERMINAL, *shell.split()],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=environment,
            start_new_session=True,
        )
        os.close(slave)

    def type(self, *keys: str) -> None:
        text = "".join(KEYS.get(key, key) for key in keys)
        os.write(self._master, text.encode())

    def screen(self) -> str:
        """What is on the screen after all that the shell has written by now."""
        while select.select([self._master], [], [], 0)[0]:
            self._stream.feed(os.read(self._master, 65536))
        return "\n".join(line.rstrip() for line in self._screen.display)

    def shows(self, text: str) -> None:
        """Wait until the text is on the screen."""
        eventually(self.screen, lambda seen: text in seen, within=60)

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._master)


@pytest.fixture(params=list(SHELLS))
def terminal(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Terminal]:
    shell, setup = SHELLS[request.param]
    if request.param != "bash" and shutil.which(request.param) is None:
        pytest.skip(f"{request.param} is not installed")
    found = Terminal(tmp_path, shell)
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
