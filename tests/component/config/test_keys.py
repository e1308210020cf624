"""Every key of the configuration is documented with its meaning, on a page and as YAML."""

import pytest

from elasticquota_config import change, keys, model, text
from elasticquota_config.keys import ConfigurationKey
from elasticquota_config.model import Configuration
from reference_pages import configuration


OUTLINE = keys.outline()


def test_every_key_and_every_section_has_a_meaning() -> None:
    silent = [".".join(entry.path) for entry in OUTLINE if not entry.meaning.endswith(".")]
    assert silent == [], "write a sentence below these keys in configuration.py"


def test_the_documented_keys_match_the_file() -> None:
    paths = [entry.path for entry in OUTLINE if isinstance(entry, ConfigurationKey)]
    assert ("systemNamespaces",) in paths
    assert ("webhook", "certificates", "publishBundle") in paths
    assert len(set(paths)) == len(paths)


def test_bounds_and_choices_are_reported() -> None:
    wanted = {entry.path: entry.wanted for entry in OUTLINE if isinstance(entry, ConfigurationKey)}
    assert wanted["reclaim", "evictionsPerSecond"] == "1 to 1000"
    assert wanted["reclaim", "paused"] == "true or false"
    assert wanted["accounting", "ignoreTerminating"] == "never, afterGrace or atOnce"


def test_live_keys_exist_in_the_file() -> None:
    assert {entry.path[0] for entry in OUTLINE} >= change.LIVE


def test_the_page_is_up_to_date() -> None:
    page = configuration.PAGE.read_text(encoding="utf-8")
    assert page == configuration.written(page), "run: make reference"


@pytest.mark.parametrize(
    "value", ["a\nb", " x", "#", "a: b", "é\u2028", "'", "null", "1", "off", [], {"7": "a\n"}]
)
def test_odd_values_stay_on_one_line_and_read_back(value: object) -> None:
    line = text.inline(value)
    assert "\n" not in line
    if isinstance(value, str):
        assert model.parse(f"controllerUser: {line}").controller_user == value


def test_every_key_that_can_be_set_reads_back() -> None:
    chosen = model.parse(
        "systemNamespaces: []\n"
        "defaultTree: {childNamespaces: [a, b]}\n"
        "rules: {trees: {'7': ack}, overrides: {PD1306: deny}}\n"
        "webhook: {certificates: {mode: secret, publishBundle: false}}\n"
    )
    assert model.parse(text.effective(chosen)) == chosen
    assert model.parse(text.explained()) == Configuration()
