"""The product is installed on the process node; an error says why it does not start."""

from pathlib import Path

import pytest

from local_cluster import product


class Programs:
    """A cluster of which there are only the programs."""

    def __init__(self, folder: Path) -> None:
        self.kubeconfig = folder / "kubeconfig"
        self.binary = folder.joinpath


def test_values_lead_both_deployments_to_the_process_node_and_the_service_to_its_port() -> None:
    values = product.values_for(4443)
    assert values["controller"]["nodeSelector"] == {"elasticquota.dev/process-node": "true"}
    assert values["webhook"]["nodeSelector"] == values["controller"]["nodeSelector"]
    assert values["webhook"]["service"] == {
        "type": "ExternalName",
        "externalName": "localhost",
        "port": 4443,
    }


def test_own_values_override_and_keep_the_other_values() -> None:
    values = product.values_for(4443, {"webhook": {"replicas": 1, "service": {"port": 5}}})
    assert values["webhook"]["replicas"] == 1
    assert values["webhook"]["service"]["port"] == 5
    assert values["webhook"]["service"]["type"] == "ExternalName"


def test_a_list_is_replaced_not_merged() -> None:
    assert product.overlaid({"a": [1, 2]}, {"a": [3]}) == {"a": [3]}


def test_a_failure_says_what_helm_and_kubernetes_say(tmp_path: Path) -> None:
    for name, text in (("helm", "echo no luck >&2; exit 1"), ("kubectl", 'echo "$@"')):
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    with pytest.raises(product.ProductError) as failed:
        product.uninstall(Programs(tmp_path))  # type: ignore[arg-type]
    first, pods, logs = str(failed.value).splitlines()
    assert first == "helm uninstall: no luck"
    assert "get pods -n elastic-quota-system" in pods
    assert "WHY:.status.containerStatuses[*].state.waiting.message" in pods
    assert "logs -n elastic-quota-system" in logs
