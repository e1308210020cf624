"""Checks manifests against the schemas of Kubernetes versions, without a cluster, by kubeconform.

kubeconform is built from its Go module. It brings no schemas, and looks for them at an address on
the internet; here they come from the package kubernetes-validate, which bundles those of all
versions. Both are pinned by hash, and are put below ``.cache`` once.
"""

import json
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any, Final

from local_cluster import build


_ROOT: Final = build.TOOLS.parent
_LOCK: Final = _ROOT / "requirements" / "schemas.txt"
_CACHE: Final = _ROOT / ".cache" / "schemas"
_RECIPE: Final = build.Recipe(
    Path(__file__).parent,
    build.NEWEST.kubernetes,
    {"kubeconform": "github.com/yannh/kubeconform/cmd/kubeconform"},
)
_BUNDLED: Final = "kubernetes_validate/kubernetes-json-schema/v{}-local-strict/"


class CheckError(Exception):
    """The schemas cannot be had; the text has what pip said."""


def check(manifests: str, version: str, without: tuple[str, ...] = ()) -> list[str]:
    """What is wrong with YAML documents on Kubernetes ``version`` (``1.33.0``), a line for each.

    Kinds ``without`` a schema are not checked. Raises `CheckError` and ``build.BuildError``.
    """
    program = build.ensure(["kubeconform"], build.say, _RECIPE)["kubeconform"]
    place = schemas(version)
    told = subprocess.run(
        [
            *(str(program), "-strict", "-output", "json", "-kubernetes-version", version),
            *("-skip", ",".join(without)),
            *("-schema-location", f"{place}/{{{{.ResourceKind}}}}{{{{.KindSuffix}}}}.json"),
        ],
        input=manifests,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    if not told.stdout:
        raise CheckError(told.stderr.strip())
    found: list[dict[str, Any]] = json.loads(told.stdout)["resources"]
    return [f"{each['kind']} {each['name']}: {each['msg']}" for each in found]


def schemas(version: str) -> Path:
    """The folder with the schemas of ``version``, after unpacking them if they are not there."""
    folder = _CACHE / version
    if not folder.exists():
        _CACHE.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=_CACHE) as scratch:
            fresh = Path(scratch) / version
            fresh.mkdir()
            _unpack(_downloaded(Path(scratch)), version, fresh)
            fresh.replace(folder)
    return folder


def _downloaded(scratch: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    words = ["--no-deps", "--require-hashes", "-r", str(_LOCK), "-d", str(scratch)]
    told = subprocess.run([*command, *words], capture_output=True, text=True, check=False)
    if told.returncode != 0:
        raise CheckError(told.stderr.strip())
    (wheel,) = scratch.glob("*.whl")
    return wheel


def _unpack(wheel: Path, version: str, folder: Path) -> None:
    prefix = _BUNDLED.format(version)
    with zipfile.ZipFile(wheel) as bundle:
        names = [name for name in bundle.namelist() if name.startswith(prefix)]
        if not names:
            raise CheckError(f"{wheel.name} has no schemas of Kubernetes {version}")
        for name in names:
            schema = json.loads(bundle.read(name))
            # The dialect's address would be fetched, and references are to the root of a server.
            schema.pop("$schema", None)
            text = json.dumps(schema).replace('"/api/_definitions.json#', '"_definitions.json#')
            (folder / name.removeprefix(prefix)).write_text(text)
