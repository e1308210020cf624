"""What `pip install '.[api]' kubernetes` installs, made of packages that are here already.

Nothing is downloaded. The wheel is built and installed; what the metadata of packages asks for is
linked from the environment of the tests, and nothing else is there.
"""

import subprocess
import sys
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement

from dist import distributions


_OWN = "elastic-quota-operator"


def python(root: Path, folder: Path, extra: str, *others: str) -> Path:
    """The Python of a new environment in ``folder`` that has the wheel of ``root``, with an extra.

    ``others`` are packages besides. Raises `subprocess.CalledProcessError` and
    `metadata.PackageNotFoundError`; `ValueError` when a package here has another version than is
    asked for.
    """
    distributions.build(root, folder)
    (wheel,) = folder.glob("*.whl")
    made = folder / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", made], check=True)
    pip = f"-m pip --python {made}/bin/python install --quiet --no-index --no-deps".split()
    subprocess.run([sys.executable, *pip, wheel], check=True)
    (site,) = (made / "lib").glob("python*/site-packages")
    (own,) = metadata.distributions(name=_OWN, path=[str(site)])
    for found in _asked_for([own], extra, others):
        for top in {file.parts[0] for file in found.files or ()} - {"..", "__pycache__"}:
            (site / top).symlink_to(str(found.locate_file(top)))
    return made / "bin" / "python"


def _asked_for(
    own: Iterable[metadata.Distribution], extra: str, others: Iterable[str]
) -> Iterable[metadata.Distribution]:
    """The packages that ``own`` with its extra and ``others`` ask for, directly or not."""
    waiting = [text for each in own for text in _requires(each, {extra})] + list(others)
    asked: dict[str, metadata.Distribution] = {}
    while waiting:
        wanted = Requirement(waiting.pop())
        found = metadata.distribution(wanted.name)
        if not wanted.specifier.contains(found.version):
            raise ValueError(f"{wanted} is asked for, and {found.version} is here")
        if found.name not in asked:
            asked[found.name] = found
            waiting += _requires(found, wanted.extras)
    return asked.values()


def _requires(found: metadata.Distribution, extras: Iterable[str]) -> list[str]:
    """What a package asks for here, with these extras."""
    return [
        f"{each.name}{'[' + ','.join(each.extras) + ']' if each.extras else ''}{each.specifier}"
        for each in map(Requirement, found.requires or ())
        if each.marker is None
        or any(each.marker.evaluate({"extra": extra}) for extra in ("", *extras))
    ]
