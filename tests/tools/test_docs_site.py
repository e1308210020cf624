"""The navigation lists every page once, and links lead to the same place as in the repository."""

import tomllib
from pathlib import Path

import pytest

from docs_site import links, navigation, staging


ROOT = Path(__file__).parents[2]


def pages() -> list[str]:
    return [path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md")]


def test_each_page_is_listed_once() -> None:
    there = [*pages(), "CONTRIBUTING.md", navigation.HOME]
    listed = tomllib.loads(navigation.settings(there))["project"]["nav"]
    assert sorted(navigation.names(listed)) == sorted(there)


def test_the_search_leaves_out_pages_of_contributors_and_nothing_else(tmp_path: Path) -> None:
    staged = staging.stage(ROOT, tmp_path / "staged")
    texts = {page: (tmp_path / "staged" / page).read_text() for page in staged}
    left_out = {page for page, text in texts.items() if text.startswith(staging.UNSEARCHED)}
    assert left_out == navigation.for_contributors(staged)
    assert {"CONTRIBUTING.md", "docs/contributing/style.md"} <= left_out
    assert not {navigation.HOME, "docs/reclaim.md", "docs/reference/cli.md"} & left_out


def test_the_pages_do_not_grow_without_end() -> None:
    """Words as ``wc -w`` counts them: of all pages, and of those that are not for contributors."""
    words = {page: len((ROOT / page).read_text("utf-8").split()) for page in pages()}
    for_users = words.keys() - navigation.for_contributors(
        [*words, "CONTRIBUTING.md", navigation.HOME]
    )
    assert (len(words) <= 110, sum(words.values()) <= 100_000) == (True, True)
    assert (len(for_users) <= 100, sum(words[page] for page in for_users) <= 90_000) == (True, True)


def test_a_page_that_is_not_listed_fails_the_build() -> None:
    with pytest.raises(SystemExit, match=r"not in .*zensical\.toml: docs/lost\.md"):
        navigation.settings([*pages(), "CONTRIBUTING.md", navigation.HOME, "docs/lost.md"])


def test_a_listed_page_that_does_not_exist_fails_the_build() -> None:
    kept = [page for page in pages() if page != "docs/doctor.md"]
    with pytest.raises(SystemExit, match=r"there is no docs/doctor\.md"):
        navigation.settings([*kept, "CONTRIBUTING.md", navigation.HOME])


@pytest.mark.parametrize(
    ("link", "becomes"),
    [
        ("[a](other.md#part)", "[a](other.md#part)"),
        ("[a](#part)", "[a](#part)"),
        ("[a](https://example.com/a)", "[a](https://example.com/a)"),
        ("[a](../deploy/a.yaml)", "[a](../deploy/a.yaml.md)"),
        ("[a](../deploy)", "[a](../deploy/files.md)"),
        ("[a](../README.md)", "[a](../README.md)"),
        ("`x` ![a](gone.svg)", "`x` ![a](gone.svg)"),
        ("`[a](../deploy)` [`a`](../deploy)", "`[a](../deploy)` [`a`](../deploy/files.md)"),
    ],
)
def test_links_to_files_and_folders_lead_to_pages(tmp_path: Path, link: str, becomes: str) -> None:
    (tmp_path / "deploy").mkdir()
    (tmp_path / "deploy/a.yaml").write_text("a: 1\n")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/other.md").write_text("# Other\n")
    (tmp_path / "README.md").write_text("# Top\n")
    (tmp_path / "CONTRIBUTING.md").write_text("# How\n")
    (tmp_path / "docs/a.md").write_text(f"{link}\n\n```md\n{link}\n```\n")
    staging.stage(tmp_path, tmp_path / "staged")
    text = (tmp_path / "staged/docs/a.md").read_text()
    assert text == f"{becomes}\n\n```md\n{link}\n```\n"
    if "yaml" in becomes:
        shown = (tmp_path / "staged/deploy/a.yaml.md").read_text()
        assert shown == f"{staging.UNSEARCHED}# deploy/a.yaml\n\n````yaml\na: 1\n````\n"


def test_a_link_to_a_missing_file_fails_the_build(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("[a](deploy/gone.yaml)\n")
    (tmp_path / "CONTRIBUTING.md").write_text("# How\n")
    with pytest.raises(SystemExit, match=r"README\.md: there is no deploy/gone\.yaml"):
        staging.stage(tmp_path, tmp_path / "staged")


def test_a_link_may_not_leave_the_repository() -> None:
    with pytest.raises(SystemExit, match="leaves the repository"):
        links.mapped("[a](../../b.md)", "docs/a.md", str)


def test_every_link_of_the_pages_leads_to_a_file(tmp_path: Path) -> None:
    """Checks files only; `make docs` also checks the anchors."""
    staging.stage(ROOT, tmp_path)
    lost: list[str] = []

    def place(target: str) -> str:
        if not (tmp_path / target).is_file():
            lost.append(f"{page}: {target}")
        return target

    for path in sorted(tmp_path.rglob("*.md")):
        page = path.relative_to(tmp_path).as_posix()
        links.mapped(path.read_text(encoding="utf-8"), page, place)
    assert lost == []


def test_the_readme_stays_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 150
