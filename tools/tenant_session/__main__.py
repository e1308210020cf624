"""``python -m tenant_session [--check]``: record the page of a tenant's session, about 2 minutes.

It starts a local control plane, which ends with it. With ``--check`` the page stays as it is, and
the exit code is 1 when the cluster says something else today.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from tenant_session import comparable, session


def main() -> int:
    """Record, and write or compare; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tenant_session", description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        now = session.recorded(Path(folder) / "cluster", say=lambda line: print(line, flush=True))
    if not options.check:
        session.PAGE.write_text(now, encoding="utf-8")
        return 0
    differs = comparable.difference(session.PAGE.read_text(encoding="utf-8"), now)
    print(differs or "the page says what the cluster says")
    return 1 if differs else 0


if __name__ == "__main__":
    sys.exit(main())
