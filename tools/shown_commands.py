"""Writes below each ``$ kubectl elastic-quota`` of a page what the command prints.

    PYTHONPATH=operator:webhooks:tools python -m shown_commands

Only commands on files are shown this way, because they need no cluster. A test compares
(``tests/component/cli/test_shown_commands.py``).
"""

import contextlib
import io
import os
import re
import shlex
from pathlib import Path
from typing import Final

from elasticquota_cli import main as cli


ROOT: Final = Path(__file__).parents[1]
PAGES: Final = (
    "README.md",
    "docs/doctor.md",
    "docs/explain.md",
    "docs/how-to/plan-quotas.md",
    "docs/how-to/pod-waits.md",
    "docs/import.md",
    "docs/how-to/on-call.md",
    "docs/plan.md",
    "docs/pools.md",
    "docs/tutorials/first-quota.md",
    "docs/tutorials/gpu-pool.md",
)
AWAY: Final = " > quotas.yaml"
"""Standard output goes to this file, so the page shows standard error."""
_ANSWERS: Final = (0, 3)
"""Exit codes of a command that did what it should; 3: a plan evicts pods."""

_BLOCK: Final = re.compile(
    r"(```console\n\$ kubectl elastic-quota ([^\n]*)\n)(.*?)(```)", re.DOTALL
)


def written(page: str) -> str:
    """``page`` with the current output of its commands."""
    return _BLOCK.sub(lambda found: f"{found[1]}{_printed(found[2])}{found[4]}", page)


def _printed(command: str) -> str:
    """The output of the command, run in the folder of the product."""
    out, err = _stream(), _stream()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = cli.main(shlex.split(command.removesuffix(AWAY)))
    if code not in _ANSWERS:
        raise SystemExit(f"kubectl elastic-quota {command}: exit code {code}: {_text(err)}")
    return _text(err if command.endswith(AWAY) else out)


def _stream() -> io.TextIOWrapper:
    """A stream with an encoding, because commands ask for it before they draw."""
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)


def _text(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()


if __name__ == "__main__":
    os.chdir(ROOT)
    for name in PAGES:
        path = ROOT / name
        path.write_text(written(path.read_text(encoding="utf-8")), encoding="utf-8")
