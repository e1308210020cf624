"""Writes archives whose bytes depend on nothing but their content: no times, no order of folders."""

import gzip
import hashlib
import io
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final


_WHEN: Final = (1980, 1, 1, 0, 0, 0)
_SHEBANG: Final = b"#!/usr/bin/env python3\n"


def content(folder: Path) -> dict[str, bytes]:
    """The files below a folder by their paths."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


def program(path: Path, launcher: bytes, files: Mapping[str, bytes]) -> None:
    """Write a program in one file: an archive that Python runs, with its checksum in ``BUILD``."""
    digest = hashlib.sha256()
    for name in sorted(files):
        digest.update(f"{name}\0{len(files[name])}\0".encode() + files[name])
    whole = {**files, "__main__.py": launcher, "BUILD": digest.hexdigest()[:16].encode()}
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in sorted(whole):
            info = zipfile.ZipInfo(name, _WHEN)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            archive.writestr(info, whole[name])
    path.write_bytes(_SHEBANG + written.getvalue())
    path.chmod(0o755)


def tarball(path: Path, files: Mapping[str, tuple[bytes, int]]) -> str:
    """Write a compressed tar of files with their modes; returns its SHA-256."""
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w") as archive:
        for name in sorted(files):
            body, mode = files[name]
            info = tarfile.TarInfo(name)
            info.size, info.mode = len(body), mode
            archive.addfile(info, io.BytesIO(body))
    path.write_bytes(gzip.compress(written.getvalue(), mtime=0))
    return hashlib.sha256(path.read_bytes()).hexdigest()
