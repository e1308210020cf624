"""The files with which a user begins: a profile and the quotas below its root, as our pages and
commands give them.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import yaml

import command_line
import page_blocks
from installation import NAMESPACE


Document = dict[str, Any]

_TOP: Final = Path(__file__).parents[3]
_EXAMPLES: Final = _TOP / "examples"
_OURS: Final = ("ElasticQuotaProfile", "ElasticQuota")

_FLAVORS: Final = """
apiVersion: kueue.x-k8s.io/v1beta1
kind: ResourceFlavor
metadata: {name: t4}
spec: {nodeLabels: {gpu: t4}}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ResourceFlavor
metadata: {name: a100}
spec: {nodeLabels: {gpu: a100}}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata: {name: vision}
spec:
  cohort: research
  resourceGroups:
    - coveredResources: [nvidia.com/gpu]
      flavors:
        - name: t4
          resources: [{name: nvidia.com/gpu, nominalQuota: 4}]
        - name: a100
          resources: [{name: nvidia.com/gpu, nominalQuota: 2}]
"""


def readme() -> str:
    """The block of README's chapter about the installation."""
    blocks = page_blocks.of((_TOP / "README.md").read_text(), "yaml")
    (text,) = (each.text for each in blocks if "ElasticQuotaProfile" in each.text)
    return text


def notes() -> str:
    """What the chart says after an installation."""
    text = (_TOP / "charts/elastic-quota-operator/templates/NOTES.txt").read_text()
    (block,) = re.findall(r"<<END\n(.*?)^ *END$", text, re.DOTALL | re.MULTILINE)
    return re.sub(r"^     ", "", block, flags=re.MULTILINE).replace(
        "{{ .Release.Namespace }}", NAMESPACE
    )


def tutorial() -> str:
    """The commands of the first tutorial's last step, as one file."""
    text = (_TOP / "docs/tutorials/first-quota.md").read_text()
    (profile,) = re.findall(r"<<'EOF'\n(.*?)^EOF$", text, re.DOTALL | re.MULTILINE)
    return _joined(profile, (_EXAMPLES / "first-quota/team-c.yaml").read_text())


def examples(*files: str) -> Callable[[], str]:
    """Profiles, quotas and their namespaces of these examples, as one file."""
    return lambda: _joined(*((_EXAMPLES / file).read_text() for file in files))


def imported() -> str:
    """What ``import`` prints for queues of Kueue with two kinds of nodes."""
    return command_line.printed("import", "kueue", "-f", "-", text=_FLAVORS)


FILES: Final[Mapping[str, Callable[[], str]]] = {
    "README": readme,
    "NOTES": notes,
    "the tutorial": tutorial,
    "import kueue": imported,
    "two teams": examples("two-teams/2-profiles.yaml", "two-teams/3-quotas.yaml"),
    "GPU pool": examples("gpu-pool/2-quotas.yaml"),
    "autoscaled": examples("autoscaled/2-profile.yaml", "autoscaled/3-quotas.yaml"),
    "devices": examples("dra/2-quotas.yaml"),
    "pools": examples("pools/cluster.yaml"),
    "elastic": examples("capacity/elastic.yaml"),
}

FEW: Final = ("import kueue", "two teams")
"""Files of three levels."""

_OFFERED: Final = {
    "cpu": "1000",
    "memory": "4Ti",
    "pods": "110",
    "nvidia.com/gpu": "64",
}
"""Of a node: more than any of the files guarantees, but for devices, which a driver offers."""


def quotas(documents: Iterable[Document]) -> list[Document]:
    """The quotas of a file."""
    return [each for each in documents if each["kind"] == "ElasticQuota"]


def nodes(documents: Iterable[Document]) -> list[Document]:
    """A node of each pool of each profile, or of each profile without pools."""
    specs = [each["spec"] for each in documents if each["kind"] == "ElasticQuotaProfile"]
    return [
        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {
                "name": f"{spec['quotaName']}-{number}",
                "labels": {**spec["nodeSelector"].get("matchLabels", {}), **pool["nodeLabels"]},
                "annotations": {"kwok.x-k8s.io/node": "fake"},
            },
            "status": {"capacity": _OFFERED, "allocatable": _OFFERED},
        }
        for spec in specs
        for number, pool in enumerate(spec.get("pools", [{"nodeLabels": {}}]))
    ]


def _joined(*texts: str) -> str:
    """The objects about quotas, in their order, after the namespaces that they need."""
    documents = [each for text in texts for each in yaml.safe_load_all(text) if each]
    ours = [each for each in documents if each["kind"] in _OURS]
    spaces = dict.fromkeys(each["metadata"]["namespace"] for each in ours)
    made: list[Document] = [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
        for name in spaces
        if name != NAMESPACE
    ]
    return yaml.safe_dump_all([*made, *ours])
