"""Copies the pages, and every file that they link to, into the source folder of the site.

A link from ``docs/`` to a manifest or a program leads to a page that shows it, and a link to a
folder leads to its README or to a list of its files. So the site needs no repository address.
"""

import shutil
from pathlib import Path
from typing import Final

from docs_site import links, navigation


_CODE: Final = {".yaml": "yaml", ".py": "python", ".cc": "cpp", ".toml": "toml", ".go": "go"}
"""Files that become pages, and the language of their syntax colors."""
UNSEARCHED: Final = "---\nsearch:\n  exclude: true\n---\n\n"
"""What Zensical leaves out of its search."""


def stage(root: Path, folder: Path) -> list[str]:
    """Fill ``folder`` from the repository ``root``; returns the pages of the navigation."""
    shutil.rmtree(folder, ignore_errors=True)
    first = [navigation.HOME, "CONTRIBUTING.md"]
    first += sorted(_name(path, root) for path in (root / "docs").rglob("*") if path.is_file())
    unsearched = navigation.for_contributors([page for page in first if page.endswith(".md")])
    waiting, seen = list(first), set(first)
    while waiting:
        page = waiting.pop()
        target = folder / page
        target.parent.mkdir(parents=True, exist_ok=True)
        if not page.endswith(".md"):
            shutil.copyfile(root / page, target)
            continue
        wanted: set[str] = set()
        text = _staged(page, root, wanted)
        # Manifests and programs that pages lead to would hide the pages themselves.
        if page in unsearched or not (root / page).exists():
            text = f"{UNSEARCHED}{text}"
        target.write_text(text, encoding="utf-8")
        waiting += sorted(wanted - seen)
        seen |= wanted
    return [page for page in first if page.endswith(".md")]


def _staged(page: str, root: Path, wanted: set[str]) -> str:
    """The text of ``page`` for the site; adds the pages that it links to to ``wanted``."""

    def place(target: str) -> str:
        path = root / target
        if not path.exists():
            # Zensical reports the line of a broken link in docs/, and knows no other folder.
            if target.startswith("docs/"):
                return target
            raise SystemExit(f"{page}: there is no {target}")
        went = target
        if path.is_dir():
            went = f"{target}/README.md" if (path / "README.md").exists() else f"{target}/files.md"
        elif path.suffix != ".md" and not target.startswith("docs/"):
            went = f"{target}.md"
        wanted.add(went)
        return went

    return links.mapped(_text(page, root), page, place)


def _text(page: str, root: Path) -> str:
    """The text of the file, or a page that shows a file or lists a folder."""
    path = root / page
    if path.exists():
        return path.read_text(encoding="utf-8")
    if path.name == "files.md":
        names = sorted(each.name for each in path.parent.iterdir() if each.is_file())
        rows = "".join(f"* [{name.removesuffix('.md')}]({name})\n" for name in names)
        return f"# Files of {_name(path.parent, root)}\n\n{rows}"
    shown = path.with_suffix("")
    language = _CODE.get(shown.suffix, "text")
    code = shown.read_text(encoding="utf-8")
    return f"# {_name(shown, root)}\n\n````{language}\n{code}````\n"


def _name(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix()
