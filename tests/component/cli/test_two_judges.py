"""``simulate --strict`` refuses and warns as the webhook of the default installation, in its words.

A difference is a rule that stands twice. Policies and the schema have no part in this.
"""

import shlex
from pathlib import Path
from typing import Final

import pytest
import yaml

import effort
import rule_examples
import two_judges
import written_edits
from elasticquota import names
from elasticquota.structs import replace
from elasticquota_config.model import Configuration
from elasticquota_config.sections.rules import Rules
from rule_examples import Example
from two_judges import Cluster, Document


ROOT: Final = Path(__file__).parents[3]
BATCH: Final = 5
OF_QUOTAS: Final = {
    *("EQ1001", "EQ1002", "EQ1003", "EQ1004", "EQ1101", "EQ1102", "EQ1103", "EQ1104", "EQ1106"),
    *("EQ1107", "EQ1110", "EQ1111", "EQ1112", "EQ1113", "EQ1114"),
}
"""The rules about quotas that refuse by default and need no pods."""
REFUSED: Final = {"min-above-max.yaml", "min-already-given.yaml", "leaf-as-parent.yaml"}
SEEDS: Final = (
    *sorted(ROOT.glob("tests/seeds/manifests/*.yaml")),
    ROOT / "examples/import/elasticquotatree.yaml",
    ROOT / "examples/import/queues.yaml",
)
DIALECTS: Final = {"elasticquotatree.yaml": "ack", "queues.yaml": "yunikorn"}


def test_generated_edits_of_stored_quotas(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    seed = effort.own_seed(request.config, "edits of two judges")
    codes = set[str]()
    for batch in written_edits.batches(seed, 1_000, BATCH):
        codes |= _alike(tmp_path, written_edits.stored(), batch)
    assert codes >= OF_QUOTAS


def test_generated_files(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    seed = effort.own_seed(request.config, "files of two judges")
    codes = set[str]()
    for batch in written_edits.batches(seed, 1_000, 2 * BATCH):
        written = [each for each in batch if two_judges.DELETED not in each]
        codes |= _alike(tmp_path, written_edits.stored(), written, at_once=True)
    assert codes >= OF_QUOTAS - {"EQ1111"}


@pytest.mark.parametrize(
    "example", [pytest.param(each, id=each.name) for each in rule_examples.examples()]
)
def test_the_examples_of_the_rules(example: Example, tmp_path: Path) -> None:
    stored = [each for text in example.stored for each in _documents_of(text)]
    _alike(tmp_path, stored, [_typed(example, stored)])


@pytest.mark.parametrize(
    "file",
    [
        pytest.param(each, id=str(each.relative_to(ROOT)))
        for each in sorted(ROOT.glob("examples/**/*.yaml"))
        if each.name not in REFUSED
    ],
)
def test_the_examples_of_the_repository(file: Path, tmp_path: Path) -> None:
    _alike(tmp_path, [], _documents(file), at_once=True)


@pytest.mark.parametrize("file", [pytest.param(each, id=each.stem) for each in SEEDS])
def test_the_manifests_of_the_seeds(file: Path, tmp_path: Path) -> None:
    """Those of other APIs as the quotas that ``import`` makes of them."""
    dialect = DIALECTS.get(file.name, "capacity" if file.name.startswith("003") else "")
    documents = two_judges.imported(dialect, file) if dialect else _documents(file)
    assert documents == _judged_ones(documents) != []
    refused = _alike(tmp_path, [], documents, at_once=True)
    assert refused == ({"EQ1003"} if file.stem == "000-test-as-printed" else set())


@pytest.mark.parametrize("kind", [names.QUOTA_KIND, names.PROFILE_KIND])
def test_an_object_that_leaves_no_room_for_its_status(kind: str, tmp_path: Path) -> None:
    specs = {
        names.QUOTA_KIND: {"max": {"cpu": 4}},
        names.PROFILE_KIND: {"quotaName": "fat-root", "nodeSelector": {"matchLabels": {"a": "b"}}},
    }
    api = {names.QUOTA_KIND: names.QUOTA_API, names.PROFILE_KIND: names.PROFILE_API}[kind]
    metadata: Document = {"name": "fat", "namespace": "teams"}
    slim = {"apiVersion": api, "kind": kind, "metadata": metadata, "spec": specs[kind]}
    owner = {"apiVersion": "v1", "kind": "K" * 1_100_000, "name": "y", "uid": "6"}
    fat = {**slim, "metadata": {**metadata, "ownerReferences": [owner]}}
    assert _alike(tmp_path, [], [fat]) == {"EQ1115"}
    assert _alike(tmp_path, [slim], [fat]) == {"EQ1115"}
    assert _alike(tmp_path, [], [fat], at_once=True) == {"EQ1115"}


def test_removals_that_are_only_warned_about(tmp_path: Path) -> None:
    """The rules of the profile permissive warn where others refuse."""
    folder = ROOT / "examples" / "two-teams"
    stored = [each for file in sorted(folder.glob("*.yaml")) for each in _documents(file)]
    kinds = (names.QUOTA_KIND, names.PROFILE_KIND)
    gone = [{**each, two_judges.DELETED: "delete"} for each in stored if each["kind"] in kinds]
    permissive = replace(two_judges.CHART, rules=Rules(profile="permissive"))
    assert not _alike(tmp_path, stored, gone[:1], configuration=permissive)
    notes = two_judges.simulated(tmp_path, stored, gone[:1], permissive)[1]
    assert two_judges.codes(dict.fromkeys([("", "", "")], " ".join(notes))) == {"EP1203"}


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_what_an_example_is_refused_for(name: str, tmp_path: Path) -> None:
    folder = ROOT / "examples" / "two-teams"
    stored = [each for file in sorted(folder.glob("*.yaml")) for each in _documents(file)]
    assert _alike(tmp_path, stored, _documents(folder / "refused" / name))


def _alike(
    folder: Path,
    stored: list[Document],
    asked: list[Document],
    *,
    at_once: bool = False,
    configuration: Configuration = two_judges.CHART,
) -> set[str]:
    """Both judges refuse the same of ``asked`` and warn alike; return the codes of refusals.

    ``at_once``: the quotas that are asked for are simulated together with what is stored.
    """
    stored, asked = _judged_ones(stored), _judged_ones(asked)
    base, change = ([*stored, *asked], []) if at_once else (stored, asked)
    webhook = Cluster(configuration)
    by_webhook = webhook.begin(base)
    if not at_once:
        by_webhook = webhook.apply(change)
    by_simulate, notes, code = two_judges.simulated(folder, base, change, configuration)
    assert by_simulate == by_webhook
    assert two_judges.noted(notes) == two_judges.warnings_of_rules(webhook.warned)
    for each in two_judges.keys_passed_over(webhook.warned):
        assert any(note.endswith(each) for note in notes), each
    assert code == 1 or not by_webhook
    return two_judges.codes(by_webhook)


def _judged_ones(documents: list[Document]) -> list[Document]:
    return [each for each in documents if two_judges.is_judged(each)]


def _documents(file: Path) -> list[Document]:
    return _documents_of(file.read_text("utf-8"))


def _documents_of(text: str) -> list[Document]:
    return [each for each in yaml.safe_load_all(text) if each]


def _typed(example: Example, stored: list[Document]) -> Document:
    """The object as the command of an example would store it."""
    verb, *words = shlex.split(example.command)
    if example.file:
        return _documents_of(example.written)[0]
    kind, name, _, namespace, *rest = words
    found = next(
        each
        for each in stored
        if two_judges.name_of(each) == (each["kind"], namespace, name)
        and each["kind"].lower() == kind
    )
    if verb == "delete":
        return {**found, two_judges.DELETED: "delete"}
    metadata = dict(found["metadata"])
    if verb == "label":
        key, _, value = rest[-1].partition("=")
        metadata["labels"] = {**metadata.get("labels", {}), key: value}
    return {**found, "metadata": metadata}
