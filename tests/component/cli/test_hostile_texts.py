"""No text of a user commands the terminal of another, in whatever form it is printed."""

import json
from pathlib import Path
from typing import Final

import pytest
import yaml

from elasticquota_cli import candidates
from elasticquota_cli.failures import failure
from elasticquota_cli.printers import json_text, output, table
from elasticquota_import import command as importing


HOSTILE: Final = "a\x1b[31m\u202eb\x9bc\U000e0001\u2066"
"""Commands of a terminal, in 7 and 8 bits, and marks that turn the direction of reading."""


def is_harmless(text: str) -> bool:
    return text.replace("\n", "").isprintable()


def test_forms_for_programs_escape_it_and_mean_the_same() -> None:
    document = {"why": HOSTILE, HOSTILE: ["größe 大小"]}
    as_json, as_yaml = json_text.of(document), json_text.as_yaml(document)
    assert is_harmless(as_json)
    assert is_harmless(as_yaml)
    assert json.loads(as_json) == yaml.safe_load(as_yaml) == document
    assert "größe 大小" in as_json


def test_texts_of_other_alphabets_stay_readable() -> None:
    assert json_text.as_yaml({"why": "größe 大小"}) == "why: größe 大小\n"


def test_an_import_escapes_it_and_means_the_same() -> None:
    documents: list[dict[str, object]] = [{"kind": "A"}, {"why": HOSTILE, HOSTILE: ["größe 大小"]}]
    text = importing.as_yaml(documents)
    assert is_harmless(text)
    assert list(yaml.safe_load_all(text)) == documents


def test_a_shell_is_offered_no_name_that_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    contexts = [
        {"name": name, "context": {"cluster": "one"}} for name in ("a\x1b[31m", "b\u202e", "größe")
    ]
    file = tmp_path / "kubeconfig"
    file.write_text(json.dumps({"contexts": contexts}), encoding="utf-8")
    monkeypatch.setenv("KUBECONFIG", str(file))
    assert candidates.of(["tree", "--context", ""]) == ["größe"]


def test_names_for_kubectl_are_printable(capsys: pytest.CaptureFixture[str]) -> None:
    output.write([], "name", lambda: None, [output.quota(HOSTILE)])
    assert is_harmless(capsys.readouterr().out)


def test_forms_for_people_replace_it(capsys: pytest.CaptureFixture[str]) -> None:
    table.show(["WHY"], [table.Line((HOSTILE,))])
    failure.note([HOSTILE])
    out, err = capsys.readouterr()
    assert is_harmless(out)
    assert is_harmless(err)
    assert "a?[31m?b?c" in out
