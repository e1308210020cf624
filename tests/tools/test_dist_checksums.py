"""``sha256sum --check`` takes the checksums, and finds a file that was changed."""

import subprocess
from pathlib import Path

from dist import checksums


def check(folder: Path) -> int:
    done = subprocess.run(
        ["sha256sum", "--check", "--quiet", checksums.NAME],
        cwd=folder,
        capture_output=True,
        check=False,
    )
    return done.returncode


def test_all_files_are_listed_and_a_changed_one_is_found(tmp_path: Path) -> None:
    for name in ("b", "a"):
        (tmp_path / name).write_text(name)
    checksums.write(tmp_path)
    checksums.write(tmp_path)
    listed = (tmp_path / checksums.NAME).read_text()
    assert [line.split()[1] for line in listed.splitlines()] == ["a", "b"]
    assert check(tmp_path) == 0
    (tmp_path / "a").write_text("changed")
    assert check(tmp_path) != 0
