"""The first code of the program in one file: unpacks it once, then runs the command line.

Extension modules cannot be loaded from an archive, so the content goes into a folder of the user's
cache, named after its checksum. Another process may unpack at the same time: the first rename wins.
This file is copied into the archive, needs only the standard library, and starts on any Python 3.
"""

import os
import shutil
import sys
import tempfile
import zipfile
from pathlib import Path


NAME = "kubectl-elastic_quota"
COMMON = "common"
"""The folder of packages that run on every Python."""


def main() -> int:
    """Unpack if needed, and run."""
    archive = Path(sys.argv[0]).resolve()
    own = "cp{}{}".format(*sys.version_info[:2])
    with zipfile.ZipFile(archive) as content:
        build = content.read("BUILD").decode("ascii")
        known = sorted({name.partition("/")[0] for name in content.namelist() if name[:2] == "cp"})
        if own not in known:
            print(
                f"{NAME}: this file is for Python {', '.join(map(version, known))}; "
                f"{sys.executable} is {version(own)}",
                file=sys.stderr,
            )
            return 1
        place = cache() / build
        if not place.joinpath(own).is_dir():
            unpack(content, place, own)
    sys.path[:0] = [str(place / own), str(place / COMMON)]
    from elasticquota_cli.start import main as run

    sys.argv[0] = str(archive.with_name(NAME))
    return run()


def version(tag: str) -> str:
    """``cp313`` -> 3.13"""
    return f"{tag[2]}.{tag[3:]}"


def cache() -> Path:
    """The user's cache; a folder of this user below the temporary ones if it cannot be written."""
    wanted = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    found = Path(wanted).expanduser() / NAME
    try:
        found.mkdir(parents=True, exist_ok=True, mode=0o700)
    except (OSError, RuntimeError):
        found = Path(tempfile.gettempdir()) / f"{NAME}-{os.getuid()}"
        found.mkdir(exist_ok=True, mode=0o700)
        # Another user may have made the folder first, and would choose what runs here.
        if found.is_symlink() or found.stat().st_uid != os.getuid():
            raise SystemExit(f"{NAME}: {found} belongs to another user; set XDG_CACHE_HOME") from None
    return found


def unpack(content: zipfile.ZipFile, place: Path, own: str) -> None:
    """Unpack the common packages and those of this Python, whole or not at all."""
    place.mkdir(exist_ok=True, mode=0o700)
    for folder in (COMMON, own):
        if place.joinpath(folder).is_dir():
            continue
        half = Path(tempfile.mkdtemp(dir=place))
        try:
            members = [name for name in content.namelist() if name.startswith(f"{folder}/")]
            content.extractall(half, members)
            half.joinpath(folder).rename(place / folder)
        except OSError:
            if not place.joinpath(folder).is_dir():
                raise
        finally:
            shutil.rmtree(half, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
