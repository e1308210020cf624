"""The modules of the product as syntax trees, for checks of its names."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final


FOLDERS: Final = ("operator", "webhooks", "importers")
"""The source folders of the product, from the root of the repository."""


def modules(root: Path, folders: tuple[str, ...] = FOLDERS) -> Iterator[tuple[str, ast.Module]]:
    """Each module by its path from ``root``, in the order of the folders and of the paths."""
    for folder in folders:
        for path in sorted((root / folder).rglob("*.py")):
            yield path.relative_to(root).as_posix(), ast.parse(path.read_text("utf-8"))
