"""The checksums of all files, as ``sha256sum --check`` reads them."""

import hashlib
from pathlib import Path
from typing import Final


NAME: Final = "SHA256SUMS"


def write(folder: Path) -> None:
    """Write the checksums of the files in a folder, by name."""
    lines = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n"
        for path in sorted(folder.iterdir())
        if path.is_file() and path.name != NAME
    ]
    folder.joinpath(NAME).write_text("".join(lines), "utf-8")
