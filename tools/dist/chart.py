"""The chart as it is published: with the image that belongs to it, and its home."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple


class Image(NamedTuple):
    """The published image."""

    registry: str
    """With a path if it has one, such as ``registry.example.com/team``."""
    digest: str
    """``sha256:...``; empty: the chart's version is the tag."""


def with_image(chart: Path, image: Image, to: Path) -> Path:
    """Copy a chart into a folder, with an image as its default; returns the copy.

    Raises `ValueError` if its values have no place for it.
    """
    copy = to / chart.name
    shutil.copytree(chart, copy)
    values = copy / "values.yaml"
    text = values.read_text("utf-8")
    for key, value in image._asdict().items():
        text, count = re.subn(
            rf'^(image:\n(?:  .*\n)*?  {key}: )""$', rf'\g<1>"{value}"', text, flags=re.MULTILINE
        )
        if count != 1:
            raise ValueError(f'{values} has no line `  {key}: ""` below `image:`')
    values.write_text(text, "utf-8")
    return copy


def at_home(chart: Path, home: str, maintainer: str) -> None:
    """Add ``home``, ``sources`` and ``maintainers`` to a copy's Chart.yaml; empty texts add nothing.

    The sources name no address of their own, because any fork may publish them.
    """
    lines = []
    if home:
        lines += [f"home: {home}", f"sources: [{home}]"]
    if maintainer:
        lines += ["maintainers:", f"  - name: {maintainer}"]
        lines += [f"    url: {home}"] if home else []
    with (chart / "Chart.yaml").open("a", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines)


def package(helm: Path, chart: Path, to: Path) -> None:
    """Write a chart as Helm's archive; raises `subprocess.CalledProcessError`."""
    subprocess.run(
        [helm, "package", chart, "--destination", to], check=True, stdout=subprocess.DEVNULL
    )
