"""The doctor's findings in stored objects; each rule is tested through the whole command."""

from pathlib import Path
from tempfile import TemporaryDirectory

from elasticquota import names
from elasticquota_cli.doctor import diagnosis, files
from elasticquota_cli.doctor.report import Finding, Level
from stored import PREFIX, Amounts, Document, Stored


OURS = {"app.kubernetes.io/part-of": "elastic-quota-operator"}


class StoredCluster(Stored):
    """The objects of a cluster, or those of a file."""

    def resource_quota(
        self, namespace: str, hard: dict[str, str], name: str = "rq", **spec: object
    ) -> None:
        self.add("v1", "ResourceQuota", namespace, name, spec={"hard": hard, **spec})

    def department_and_team(self, low: Amounts, high: Amounts, most: Amounts) -> None:
        """Quota ``team-a`` below a department that may have ``most``."""
        self.department("dept", {}, most, parent="koordinator-root-quota")
        self.quota("team-a", low, high, parent="dept")

    def alone(self, name: str, low: Amounts, high: Amounts, *namespaces: str) -> Document:
        """A quota of the default tree, with the namespaces that it binds."""
        bound = "[" + ", ".join(f'"{each}"' for each in namespaces) + "]"
        annotations = {f"{PREFIX}namespaces": bound} if namespaces else {}
        found = self.quota(
            name, low, high, parent="koordinator-root-quota", annotations=annotations
        )
        publish(found)
        return found

    def ours(self, kind: str, api: str, name: str, namespace: str = "", **parts: object) -> None:
        """An object of the chart."""
        self.add(api, kind, namespace, name, **parts)
        self.documents[-1]["metadata"]["labels"] = dict(OURS)

    def configuration(self, text: str = "lease: {name: eq-controller}") -> None:
        """The ConfigMap of the chart, and the built-in quotas that the controller keeps."""
        self.ours("ConfigMap", "v1", "eq-config", "eq", data={"config.yaml": text})
        for name in sorted(names.RESERVED_QUOTAS):
            self.add(names.QUOTA_API, names.QUOTA_KIND, "eq", name, spec={})
            publish(self.documents[-1])

    def findings(self, *levels: Level, namespace: str = "") -> list[Finding]:
        """The findings of the levels, or all of them."""
        with TemporaryDirectory() as folder:
            inventory = files.read([str(self.write(Path(folder)))], None)
        found = diagnosis.diagnose(inventory, namespace).findings
        return [each for each in found if not levels or each.level in levels]


def publish(document: Document, *more: tuple[str, str, str, str], **status: object) -> None:
    """Write a status as the controller would; ``more`` are conditions: type, status, reason and
    message.
    """
    accepted = ("Accepted", "True", "Accepted", "guaranteed 4 cpu")
    conditions = {each[0]: each for each in (accepted, *more)}
    keys = ("type", "status", "reason", "message")
    document["status"] = {
        "observedGeneration": document["metadata"].get("generation", 0),
        "conditions": [dict(zip(keys, each, strict=True)) for each in conditions.values()],
        **status,
    }
