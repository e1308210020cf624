"""Builds the site: ``python -m docs_site ZENSICAL``. A broken link or anchor fails the build.

    PYTHONPATH=tools python -m docs_site .cache/docs/venv/bin/zensical

The site needs no network: it loads no fonts, scripts or pictures from elsewhere.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from docs_site import navigation, staging


ROOT: Final = Path(__file__).parents[2]
SOURCE: Final = ROOT / ".cache" / "site-source"
SITE: Final = ROOT / ".cache" / "site"

_FAULT: Final = re.compile(r"\bWarning: |╭─|issues? found")
_COLOR: Final = re.compile(r"\x1b\[[0-9;]*m")
_DIAGRAM: Final = re.compile(r"class=\"(?:language-)?mermaid\"")
_LOADED: Final = re.compile(
    r"<(?:script|img|iframe|link)\b[^>]*\b(?:src|href)=\"?(https?:[^\"\s>]+)"
)


def main(zensical: str) -> int:
    """Stage the pages, build the site, and report what its pages would load from elsewhere."""
    pages = staging.stage(ROOT, SOURCE / "pages")
    (SOURCE / "zensical.toml").write_text(navigation.settings(pages), encoding="utf-8")
    built = subprocess.run(
        [zensical, "build", "--strict", "--clean", "--config-file", SOURCE / "zensical.toml"],
        capture_output=True,
        text=True,
        check=False,
    )
    if built.returncode:
        said = _COLOR.sub("", built.stdout + built.stderr)
        faults = [line for line in said.splitlines() if _FAULT.search(line)]
        print("\n".join(faults) or said, file=sys.stderr)
        return 1
    shutil.rmtree(SITE, ignore_errors=True)
    shutil.move(SOURCE / "site", SITE)
    loaded = sorted({each for page in SITE.rglob("*.html") for each in _foreign(page)})
    if loaded:
        print(f"the site loads from elsewhere: {', '.join(loaded)}", file=sys.stderr)
        return 1
    here = SITE.relative_to(ROOT)
    print(f"{len(list(SITE.rglob('*.html')))} pages in {here}. To read and search them:")
    print(f"  python3 -m http.server --directory {here} 8000   # http://localhost:8000")
    return 0


def _foreign(page: Path) -> list[str]:
    """Addresses that the page loads; a Mermaid diagram, for example, would load its script."""
    text = page.read_text(encoding="utf-8")
    return _LOADED.findall(text) + _DIAGRAM.findall(text)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
