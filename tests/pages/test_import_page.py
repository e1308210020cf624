"""docs/import.md shows every dialect, and the manifests that the command prints."""

import re

import pytest

import elasticquota_import
import screens


EXAMPLES = (
    "import ack -f examples/import/elasticquotatree.yaml",
    "import capacity -f examples/import/capacity.yaml",
    "import kueue -f examples/import/kueue.yaml",
    "import yunikorn -f examples/import/namespaces-in-queues.yaml",
)


def test_the_page_has_a_command_for_each_dialect() -> None:
    shown = {command.split()[1] for command, _ in screens.of("import.md")}
    assert shown == set(elasticquota_import.DIALECTS)


def test_the_manifest_that_the_page_quotes_is_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = [screens.printed(each, monkeypatch, capsys) for each in EXAMPLES]
    quoted = re.findall(r"```yaml\n(.*?)```", screens.page("import.md"), re.DOTALL)
    assert quoted
    assert all(any(each in text for text in found) for each in quoted)
