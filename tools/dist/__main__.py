"""Builds ``dist/``: everything that a release publishes, except the image.

    PYTHONPATH=tools python -m dist [--cyclonedx PROGRAM] [--all] [--registry R] [--digest D] [--url URL]

Without ``--cyclonedx`` there is no bill of materials. Without ``--all`` the command line is for this platform and this Python only. All packages come from
the package index, pinned by hash in ``requirements/``.
"""

import argparse
import platform
import shutil
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path
from typing import Final

from dist import (
    archive,
    bill_of_materials,
    chart,
    checksums,
    command_line,
    distributions,
    manifests,
    packages,
)
from local_cluster import build


ROOT: Final = Path(__file__).parents[2]
_CHART: Final = ROOT / "charts" / "elastic-quota-operator"
_NAME: Final = "elastic-quota-operator"
_MACHINES: Final = {"x86_64": "amd64", "aarch64": "arm64", "arm64": "arm64"}


def main() -> int:
    """Returns 1 when a step fails; its program says why."""
    given = _parser().parse_args()
    shutil.rmtree(given.to, ignore_errors=True)
    given.to.mkdir(parents=True)
    try:
        _write(given, metadata.version(_NAME))
    except (build.BuildError, ValueError) as error:
        print(f"make dist: {error}", file=sys.stderr)
        return 1
    except subprocess.CalledProcessError as error:
        print(f"make dist: {error}\n{error.stderr or ''}", file=sys.stderr)
        return 1
    for path in sorted(given.to.iterdir()):
        print(f"{path.stat().st_size / 1e6:8.2f} MB  {path}")
    return 0


def _write(given: argparse.Namespace, version: str) -> None:
    here = f"{platform.system().lower()}-{_MACHINES[platform.machine()]}"
    platforms = tuple(packages.PLATFORMS) if given.all else (here,)
    pythons = packages.PYTHONS if given.all else ("{}.{}".format(*sys.version_info[:2]),)
    distributions.write(ROOT, given.to)
    command_line.write(ROOT, given.to, version, given.url, platforms, pythons)
    helm = given.helm or build.ensure(["helm"], print)["helm"]
    with tempfile.TemporaryDirectory() as folder:
        image = chart.Image(given.registry, given.digest)
        published = chart.with_image(_CHART, image, Path(folder))
        chart.at_home(published, given.home, given.maintainer)
        chart.package(helm, published, given.to)
        rendered = manifests.rendered(helm, published)
    (given.to / "install.yaml").write_text(manifests.install(rendered), "utf-8")
    base = manifests.kustomize(rendered, version)
    files = {name: (text.encode(), 0o644) for name, text in base.items()}
    archive.tarball(given.to / f"{_NAME}-kustomize-{version}.tar.gz", files)
    if given.cyclonedx:
        (wheel,) = given.to.glob("elastic_quota_operator-*.whl")
        bill = given.to / f"{_NAME}-{version}.cdx.json"
        bill_of_materials.write(ROOT, wheel, given.cyclonedx, bill)
    checksums.write(given.to)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="make dist")
    parser.add_argument("--cyclonedx", type=Path, help="the program cyclonedx-py")
    parser.add_argument("--all", action="store_true", help="all platforms and versions of Python")
    parser.add_argument("--url", default="https://example.com", help="where the files will be")
    parser.add_argument("--registry", default="", help="where the image is, with a path")
    parser.add_argument("--digest", default="", help="of the image, as sha256:...; else its tag")
    parser.add_argument("--home", default="", help="the repository's page, for Chart.yaml")
    parser.add_argument("--maintainer", default="", help="who publishes it, for Chart.yaml")
    parser.add_argument("--helm", type=Path, help="the program; built from its module otherwise")
    parser.add_argument("--to", type=Path, default=ROOT / "dist", help="the folder")
    return parser


if __name__ == "__main__":
    sys.exit(main())
