"""The import contracts hold: each is broken once in a copy of the code and must be noticed."""

import graphlib
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import grimp
import pytest

import imported_folders


ROOT = Path(__file__).parents[2]
SOURCES = ("operator", "webhooks", "importers")

BREAKS = [
    # (contract, file that breaks it, the import that does)
    (
        "programs over clients over the core",
        "webhooks/elasticquota_webhooks/__init__.py",
        "import elasticquota_operator",
    ),
    (
        "programs over clients over the core",
        "operator/elasticquota/integrations/capacity.py",
        "import elasticquota_import",
    ),
    (
        "importers: verbs, then what they do, then translators over readers",
        "importers/elasticquota_import/sources.py",
        "from elasticquota_import import command",
    ),
    (
        "the core does no I/O and reads no clock",
        "importers/elasticquota_import/translators/hnc.py",
        "import time",
    ),
    (
        "no process loads the models",
        "operator/elasticquota_cli/commands/tree.py",
        "import elasticquota_api",
    ),
    (
        "packages of the core",
        "operator/elasticquota/model/node.py",
        "from elasticquota.sharing import level",
    ),
    (
        "packages of the core",
        "operator/elasticquota/scheduling/snapshot/reasons.py",
        "from elasticquota.status import messages",
    ),
    (
        "the ledger: objects, then nodes, then how pods count, then the books",
        "operator/elasticquota/ledger/inputs/objects.py",
        "from elasticquota.ledger.pods import usage",
    ),
    (
        "scheduling: the cycle, over admission, preemption, the queues, and one snapshot",
        "operator/elasticquota/scheduling/queue/order.py",
        "from elasticquota.scheduling.preemption import victims",
    ),
    (
        "wire: a codec, the kinds of Kubernetes, our own and of others, and reviews of them",
        "operator/elasticquota/wire/kubernetes/pods.py",
        "from elasticquota.wire.quota import quotas",
    ),
    (
        "the client: a connection, over sessions, over what is asked and by whom",
        "operator/elasticquota_kube/client/rest/errors.py",
        "from elasticquota_kube.client import transport",
    ),
    (
        "the controller: Kopf, over a life cycle, over the composition of parts, over the parts",
        "operator/elasticquota_operator/writers/evictor.py",
        "from elasticquota_operator.jobs import controller",
    ),
    (
        "the webhooks: Kopf or a server, over handlers, over caches, over a review",
        "webhooks/elasticquota_webhooks/cache/caches.py",
        "from elasticquota_webhooks.handlers import dry_run",
    ),
    (
        "the command line: verbs, over what they do, over a cluster's objects or files, "
        "over printers",
        "operator/elasticquota_cli/live/listing.py",
        "from elasticquota_cli.doctor import pods",
    ),
    (
        "the core does no I/O and reads no clock",
        "operator/elasticquota/sharing/level.py",
        "import time",
    ),
    (
        "decoders live in wire only",
        "operator/elasticquota/model/quota.py",
        "import msgspec",
    ),
    (
        "only elasticquota_kube holds credentials",
        "webhooks/elasticquota_webhooks/__init__.py",
        "import pykube",
    ),
    (
        "translators take what is decoded",
        "operator/elasticquota/integrations/ack/trees.py",
        "import msgspec",
    ),
    (
        "rule families do not know each other",
        "operator/elasticquota/validation/naming.py",
        "from elasticquota.validation import removal",
    ),
]


def lint(root: Path) -> str:
    """The report of import-linter on the code below ``root``."""
    places = os.pathsep.join(f"{root}/{each}" for each in SOURCES)
    finished = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"],
        cwd=root,
        env={
            **os.environ,
            "PYTHONPATH": places,
            "COLUMNS": "200",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    return finished.stdout + finished.stderr


@pytest.fixture(name="copy")
def _copy(tmp_path: Path) -> Path:
    for folder in SOURCES:
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("contract", "file", "breach"),
    BREAKS,
    ids=[f"{contract}: {file}" for contract, file, _ in BREAKS],
)
def test_a_broken_contract_is_noticed(copy: Path, contract: str, file: str, breach: str) -> None:
    path = copy / file
    path.write_text(f"{path.read_text()}\n{breach}\n")
    report = lint(copy)
    assert f"{contract} BROKEN" in report, report


def test_an_unlisted_package_in_the_core_is_noticed(copy: Path) -> None:
    (copy / "operator/elasticquota/helpers.py").write_text('"""A stray."""\n')
    assert "packages of the core BROKEN" in lint(copy)


def _packages() -> list[str]:
    names: list[str] = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"][
        "root_packages"
    ]
    return names


def test_no_modules_import_each_other_in_a_circle() -> None:
    graph = grimp.build_graph(*_packages(), cache_dir=None)
    imported = {name: graph.find_modules_directly_imported_by(name) for name in graph.modules}
    graphlib.TopologicalSorter(imported).prepare()  # raises CycleError with the circle


def test_no_folders_import_each_other_in_a_circle() -> None:
    assert imported_folders.circles(imported_folders.imports(ROOT)) == []


def test_source_roots_are_no_packages() -> None:
    """``operator/__init__.py`` would shadow the standard library and stop Python from starting."""
    assert not (ROOT / "operator/__init__.py").exists()
    assert not (ROOT / "webhooks/__init__.py").exists()
