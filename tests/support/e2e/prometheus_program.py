"""A real Prometheus that scrapes the processes of one local cluster, on loopback only."""

import json
import re
import signal
import subprocess
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

import programs
from installation import CONTROLLER, WEBHOOK, Installation
from local_cluster import build, ports
from local_cluster.product import CHART
from waiting import eventually


Document = dict[str, Any]

_PORTS = {CONTROLLER: 8080, WEBHOOK: 8081}
_SOON = {"ElasticQuotaPodsWaitLong": "elasticquota_oldest_pending_seconds > 5"}
"""An alert that would take hours, with a smaller limit."""
_WINDOW = re.compile(r"\[\d+m\]")


class Prometheus:
    """Answers queries; ``alerts`` are those that fire."""

    def __init__(self, address: str, folder: Path, process: "subprocess.Popen[bytes]") -> None:
        self._address = address
        self._folder = folder
        self._process = process

    def read(self, path: str, **query: str) -> Any:
        """What the API returns for this query."""
        url = f"http://{self._address}/api/v1/{path}?{urllib.parse.urlencode(query)}"
        with urllib.request.urlopen(url, timeout=10) as answer:
            return json.load(answer)["data"]

    def series(self, query: str) -> list[Document]:
        """The series that a query returns now."""
        found: list[Document] = self.read("query", query=query)["result"]
        return found

    def alerts(self) -> set[str]:
        """Names of the alerts that fire."""
        found = self.read("alerts")["alerts"]
        return {each["labels"]["alertname"] for each in found if each["state"] == "firing"}

    def fires(self, name: str, /, **labels: str) -> bool:
        """Whether this alert fires with these labels."""
        wanted = {"alertname": name, **labels}.items()
        found = self.read("alerts")["alerts"]
        return any(wanted <= each["labels"].items() for each in found if each["state"] == "firing")

    def healthy(self) -> dict[str, bool]:
        """By address of a target, whether its last scrape worked."""
        found = self.read("targets")["activeTargets"]
        return {each["labels"]["instance"]: each["health"] == "up" for each in found}

    def scrape(self, targets: Sequence[str], token: str = "") -> None:
        """Scrape these addresses from now on, and no others."""
        (self._folder / "prometheus.yml").write_text(_configuration(targets, token))
        self._process.send_signal(signal.SIGHUP)
        eventually(lambda: set(self.healthy()), set(targets), within=30)


def follow(prometheus: Prometheus, product: Installation) -> None:
    """Scrape every process of the operator from now on; returns when each was scraped once."""
    prometheus.scrape(addresses(product))
    eventually(lambda: all(prometheus.healthy().values()), bool, within=30)


def addresses(product: Installation) -> list[str]:
    """Where the processes of the operator show their metrics."""
    return [
        f"{pod['status']['podIP']}:{port}"
        for deployment, port in _PORTS.items()
        for pod in product.pods(deployment).values()
    ]


def rules() -> Document:
    """Those of the chart, as they are."""
    text = (CHART / "files/alerts/elastic-quota.yaml").read_text(encoding="utf-8")
    document: Document = yaml.safe_load(text)
    return document


def _configuration(targets: Sequence[str], token: str = "") -> str:
    job: Document = {"job_name": "operator", "static_configs": [{"targets": list(targets)}]}
    if token:
        job["authorization"] = {"credentials": token}
    return yaml.safe_dump(
        {
            "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
            "rule_files": ["rules.yml"],
            "scrape_configs": [job],
        }
    )


def quick(written: Document, expressions: Mapping[str, str] = _SOON) -> Document:
    """Rules without delays and with short windows; some with another expression."""
    return {
        "groups": [
            {
                **group,
                "rules": [
                    {
                        **rule,
                        "for": "0s",
                        "expr": expressions.get(rule["alert"], _WINDOW.sub("[10s]", rule["expr"])),
                    }
                    for rule in group["rules"]
                ],
            }
            for group in written["groups"]
        ]
    }


@contextmanager
def running(folder: Path, written: Document) -> Iterator[Prometheus]:
    """A Prometheus without targets, which ends with the block."""
    binary = build.ensure(["prometheus"], print, build.PROMETHEUS)["prometheus"]
    (folder / "rules.yml").write_text(yaml.safe_dump(written))
    (folder / "prometheus.yml").write_text(_configuration(()))
    holder = ports.reserve()
    address = f"127.0.0.1:{ports.number(holder)}"
    command = [
        str(binary),
        f"--config.file={folder}/prometheus.yml",
        f"--storage.tsdb.path={folder}/data",
        f"--web.listen-address={address}",
        "--log.level=warn",
    ]
    with holder, programs.running(command, folder / "log") as process:
        found = Prometheus(address, folder, process)
        eventually(lambda: found.read("rules"), bool, within=60)
        yield found
