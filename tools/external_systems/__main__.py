"""``python -m external_systems`` builds the programs, so that no test waits for a compiler."""

import sys

from external_systems import recipes
from local_cluster import build


def main() -> int:
    """Build what is missing; the exit code is 1 when that fails."""
    for system in recipes.ALL:
        try:
            for name, path in system.programs(lambda text: print(text, flush=True)).items():
                print(f"{name:24} {path}")
        except build.BuildError as error:
            print(error, file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
