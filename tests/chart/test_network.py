"""Who reaches which port of the pods: what the network policies say."""

from collections.abc import Callable
from typing import Any

import pytest


Document = dict[str, Any]
Render = Callable[..., dict[tuple[str, str], Document]]

PEERS = '[{"ipBlock": {"cidr": "10.0.0.10/32"}}]'

both = pytest.mark.parametrize("component", ["controller", "webhook"])


def _policy(render: Render, component: str, *values: str) -> Document:
    spec: Document = render(*values)["NetworkPolicy", f"elastic-quota-{component}"]["spec"]
    return spec


@both
def test_only_ports_that_are_listened_on_may_be_reached(render: Render, component: str) -> None:
    policy = _policy(render, component)
    template = render()["Deployment", f"elastic-quota-{component}"]["spec"]["template"]
    assert policy["podSelector"]["matchLabels"].items() <= template["metadata"]["labels"].items()
    assert policy["policyTypes"] == ["Ingress"]
    (container,) = template["spec"]["containers"]
    open_ports = [port["port"] for rule in policy["ingress"] for port in rule["ports"]]
    assert open_ports == [port["containerPort"] for port in container["ports"]]
    assert not any("from" in rule for rule in policy["ingress"])


def test_who_asks_the_webhook_may_be_narrowed_without_losing_the_probes(render: Render) -> None:
    asked, probed = _policy(render, "webhook", f"networkPolicy.webhook.from={PEERS}")["ingress"]
    assert asked["from"] == [{"ipBlock": {"cidr": "10.0.0.10/32"}}]
    assert "from" not in probed


def test_who_reads_metrics_may_be_narrowed(render: Render) -> None:
    values = f"networkPolicy.metrics.from={PEERS}"
    asked, probed = _policy(render, "webhook", values)["ingress"]
    (read,) = _policy(render, "controller", values)["ingress"]
    assert probed["from"] == read["from"] == [{"ipBlock": {"cidr": "10.0.0.10/32"}}]
    assert "from" not in asked


@both
def test_it_may_be_left_to_others(render: Render, component: str) -> None:
    objects = render("networkPolicy.enabled=false")
    assert ("NetworkPolicy", f"elastic-quota-{component}") not in objects
