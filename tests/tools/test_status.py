"""A pod's status follows from its containers."""

from local_cluster.process_node import status


NOW, THEN = "2026-01-01T00:00:10Z", "2026-01-01T00:00:00Z"


def waiting() -> status.ContainerState:
    state = status.ContainerState("c", "image")
    state.waits("ContainerCreating")
    return state


def running(*, ready: bool = True) -> status.ContainerState:
    state = status.ContainerState("c", "image")
    state.runs(42, THEN)
    state.started = state.ready = ready
    return state


def ended(code: int) -> status.ContainerState:
    state = running()
    state.ends(code, THEN, NOW)
    return state


def restarting() -> status.ContainerState:
    state = ended(1)
    state.last = state.state
    state.waits("CrashLoopBackOff", "back-off")
    return state


def test_a_pod_is_pending_until_each_container_ran() -> None:
    assert status.phase([waiting(), running()], "Always") == "Pending"
    assert status.phase([running(), running()], "Always") == "Running"


def test_a_container_that_waits_for_its_restart_leaves_the_pod_running() -> None:
    assert status.phase([restarting()], "Always") == "Running"


def test_a_pod_ends_only_when_its_policy_restarts_no_container() -> None:
    assert status.phase([ended(0)], "Always") == "Running"
    assert status.phase([ended(0)], "OnFailure") == "Succeeded"
    assert status.phase([ended(1)], "OnFailure") == "Running"
    assert status.phase([ended(0), ended(1)], "Never") == "Failed"
    assert status.phase([ended(0), running()], "Never") == "Running"


def test_a_signal_is_an_exit_code_above_128() -> None:
    document = ended(-9).document()
    assert document["state"]["terminated"]["exitCode"] == 137
    assert document["state"]["terminated"]["signal"] == 9
    assert (document["ready"], document["started"]) == (False, False)


def test_a_condition_keeps_its_time_until_it_changes() -> None:
    first = status.conditions([running()], pod_phase="Running", now=THEN, former=[])
    second = status.conditions([running(ready=False)], pod_phase="Running", now=NOW, former=first)
    seen = {one["type"]: (one["status"], one["lastTransitionTime"]) for one in second}
    assert seen == {
        "PodReadyToStartContainers": ("True", THEN),
        "Initialized": ("True", THEN),
        "Ready": ("False", NOW),
        "ContainersReady": ("False", NOW),
    }


def test_an_unready_pod_names_its_unready_containers() -> None:
    seen = status.conditions([running(ready=False)], pod_phase="Running", now=NOW, former=[])
    assert [one["message"] for one in seen if one["type"] == "Ready"] == [
        "containers with unready status: ['c']"
    ]
