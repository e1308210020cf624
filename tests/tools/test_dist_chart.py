"""The published chart has the published image as its default."""

from pathlib import Path

import pytest
import yaml

from dist import chart
from dist.chart import Image


ROOT = Path(__file__).parents[2]
CHART = ROOT / "charts" / "elastic-quota-operator"
DIGEST = f"sha256:{'a' * 64}"


def test_registry_and_digest_are_defaults_and_nothing_else_differs(tmp_path: Path) -> None:
    copy = chart.with_image(CHART, Image("registry.example.com/team", DIGEST), tmp_path)
    before = yaml.safe_load((CHART / "values.yaml").read_text())
    after = yaml.safe_load((copy / "values.yaml").read_text())
    assert (after["image"]["registry"], after["image"]["digest"]) == (
        "registry.example.com/team",
        DIGEST,
    )
    before["image"].update(registry="registry.example.com/team", digest=DIGEST)
    assert after == before
    assert (copy / "Chart.yaml").read_bytes() == (CHART / "Chart.yaml").read_bytes()


def test_home_and_publisher_are_added_to_the_copy_and_nothing_else_differs(tmp_path: Path) -> None:
    home = "https://example.com/team/quota"
    copy = chart.with_image(CHART, Image("", ""), tmp_path)
    chart.at_home(copy, home, "team")
    before = yaml.safe_load((CHART / "Chart.yaml").read_text())
    assert not {"home", "sources", "maintainers"} & set(before)
    assert yaml.safe_load((copy / "Chart.yaml").read_text()) == before | {
        "home": home,
        "sources": [home],
        "maintainers": [{"name": "team", "url": home}],
    }


def test_a_chart_without_a_home_is_published_as_it_is(tmp_path: Path) -> None:
    copy = chart.with_image(CHART, Image("", ""), tmp_path)
    chart.at_home(copy, "", "")
    assert (copy / "Chart.yaml").read_bytes() == (CHART / "Chart.yaml").read_bytes()


def test_values_without_a_place_for_the_image_are_refused(tmp_path: Path) -> None:
    other = tmp_path / "source" / "other"
    other.mkdir(parents=True)
    (other / "values.yaml").write_text('image:\n  registry: ""\n')
    with pytest.raises(ValueError, match='no line `  digest: ""`'):
        chart.with_image(other, Image("here", DIGEST), tmp_path)
