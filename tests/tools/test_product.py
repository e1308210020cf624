"""The product is installed on the process node; an error says why it does not start."""

from local_cluster import product


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


def test_a_crash_is_the_first_reason_shown_for_a_pod() -> None:
    terminated = {"reason": "Error", "exitCode": 2}
    pod = {
        "status": {
            "phase": "Running",
            "containerStatuses": [
                {"name": "controller", "state": {}, "lastState": {"terminated": terminated}}
            ],
        }
    }
    assert product.why_not_ready(pod) == "controller: Error exit code 2"


def test_a_pod_without_a_node_says_why() -> None:
    condition = {"type": "PodScheduled", "status": "False", "message": "0/1 nodes are available"}
    pod = {"status": {"phase": "Pending", "conditions": [condition]}}
    assert product.why_not_ready(pod) == "PodScheduled: 0/1 nodes are available"
    assert not product.ready(pod)


def test_a_pod_that_is_only_scheduled_is_not_ready() -> None:
    condition = {"type": "PodScheduled", "status": "True"}
    assert not product.ready({"status": {"conditions": [condition]}})


def test_a_ready_pod_is_ready() -> None:
    assert product.ready({"status": {"conditions": [{"type": "Ready", "status": "True"}]}})
