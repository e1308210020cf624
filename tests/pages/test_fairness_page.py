"""docs/fairness.md: its pictures show what the product decides."""

import pathlib
import re
import subprocess
import sys
from xml.etree import ElementTree as ET

import pytest


ROOT = pathlib.Path(__file__).parents[2]
PICTURES = ROOT / "docs" / "pictures"
STORED = sorted(path.name for path in PICTURES.glob("*.svg"))
STRUCTURE = ROOT / "docs" / "contributing" / "structure.md"
PAGES = [*sorted((ROOT / "docs").glob("*.md")), STRUCTURE, ROOT / "CONTRIBUTING.md"]
SVG = "http://www.w3.org/2000/svg"


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A folder with all pictures as the script draws them now."""
    folder = tmp_path_factory.mktemp("pictures")
    path = {"PYTHONPATH": f"{ROOT}/operator:{ROOT}/tools", "PYTHONDONTWRITEBYTECODE": "1"}
    subprocess.run([sys.executable, str(PICTURES / "draw.py"), str(folder)], env=path, check=True)
    return folder


@pytest.mark.parametrize("name", STORED)
def test_a_stored_picture_is_what_the_script_draws(drawn: pathlib.Path, name: str) -> None:
    again = (drawn / name).read_bytes()
    assert (PICTURES / name).read_bytes() == again, "run docs/pictures/draw.py"


def test_each_picture_is_shown_once_by_a_page(drawn: pathlib.Path) -> None:
    texts = "".join(page.read_text("utf-8") for page in PAGES)
    shown = re.findall(r"!\[[^\]]+\]\((?:docs/|\.\./)?pictures/(\S+\.svg)\)", texts)
    assert sorted(shown) == sorted(path.name for path in drawn.iterdir()) == STORED


@pytest.mark.parametrize("name", STORED)
def test_a_picture_stands_alone_and_says_what_it_shows(name: str) -> None:
    """Title and description for who cannot see it; nothing is fetched from anywhere."""
    root = ET.parse(PICTURES / name).getroot()
    assert root.findtext(f"{{{SVG}}}title")
    assert root.findtext(f"{{{SVG}}}desc")
    assert root.get("viewBox") == f"0 0 {root.get('width')} {root.get('height')}"
    text = (PICTURES / name).read_text("utf-8").replace(SVG, "")
    assert not re.search(r"https?:|url\(|href|@import", text)


def test_the_pictures_show_the_figures_that_the_page_speaks_of() -> None:
    level = words("water-level.svg")
    assert {"A: 5", "B: 20", "C: 35", "D: 40", "+ 15.4", "+ 24.6"} <= set(level)
    tree = words("tree.svg")
    assert (tree.count("borrows 20"), tree.count("lends 40"), tree.count("lends 20")) == (3, 1, 1)
    units = words("whole-units.svg", 'text-anchor="middle" class="big"')
    assert units == ["5", "5", "4", "5", "1", "1"]
    shares = words("shrinking.svg", 'text-anchor="start" class="strong"')
    assert shares[-4:] == ["66 units: 66 used", "40", "20", "6"]


def words(name: str, look: str = "") -> list[str]:
    """The labels of a picture, or those with these attributes, in the order of drawing."""
    text = (PICTURES / name).read_text("utf-8")
    return re.findall(rf"<text [^>]*{look}[^>]*>([^<]+)</text>", text)
