"""Computes a pod's status from the states of its containers only."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class ContainerState:
    """One container as its pod's status shows it; ``state`` is waiting, running or terminated."""

    name: str
    image: str
    state: dict[str, Any] = field(default_factory=dict)
    last: dict[str, Any] = field(default_factory=dict)
    restarts: int = 0
    started: bool = False
    ready: bool = False
    pid: int | None = None

    def waits(self, reason: str, message: str = "") -> None:
        """Set: it does not run, and why."""
        waiting = {"reason": reason}
        if message:
            waiting["message"] = message
        self.state = {"waiting": waiting}
        self.started = self.ready = False
        self.pid = None

    def runs(self, pid: int, since: str) -> None:
        """Set: it runs as process ``pid``."""
        self.state = {"running": {"startedAt": since}}
        self.pid = pid

    def ends(self, code: int, since: str, until: str) -> None:
        """Set: its process ended; a negative code is a signal, as in Python."""
        ended: dict[str, Any] = {
            "exitCode": code if code >= 0 else 128 - code,
            "reason": "Completed" if code == 0 else "Error",
            "startedAt": since,
            "finishedAt": until,
            "containerID": f"process://{self.pid}",
        }
        if code < 0:
            ended["signal"] = -code
        self.state = {"terminated": ended}
        self.started = self.ready = False
        self.pid = None

    @property
    def exit_code(self) -> int | None:
        """The exit code; None while it has not ended."""
        code: int | None = self.state.get("terminated", {}).get("exitCode")
        return code

    def document(self) -> dict[str, Any]:
        """Its entry in ``containerStatuses``."""
        document: dict[str, Any] = {
            "name": self.name,
            "image": self.image,
            "imageID": "",
            "ready": self.ready,
            "started": self.started,
            "restartCount": self.restarts,
            "state": self.state,
            "lastState": self.last,
        }
        if self.pid is not None:
            document["containerID"] = f"process://{self.pid}"
        return document


def phase(states: Sequence[ContainerState], policy: str) -> str:
    """The pod's phase: Pending until every container ran, final when none will run again."""
    codes = [state.exit_code for state in states]
    if all(code is not None for code in codes) and policy != "Always":
        if all(code == 0 for code in codes):
            return "Succeeded"
        if policy == "Never":
            return "Failed"
    began = all(
        "running" in state.state or "terminated" in state.state or state.last for state in states
    )
    return "Running" if began else "Pending"


def conditions(
    states: Sequence[ContainerState],
    *,
    pod_phase: str,
    now: str,
    former: Sequence[dict[str, Any]],
) -> list[dict[str, Any]]:
    """The conditions that a kubelet owns; a transition time stays while nothing changes."""
    unready = [state.name for state in states if not state.ready]
    if pod_phase == "Succeeded":
        why, message = "PodCompleted", ""
    elif pod_phase == "Failed":
        why, message = "PodFailed", ""
    else:
        why, message = "ContainersNotReady", f"containers with unready status: {unready}"
    since = {(old["type"], old["status"]): old["lastTransitionTime"] for old in former}
    result = []
    for kind, of_probes in (
        ("PodReadyToStartContainers", False),
        ("Initialized", False),
        ("Ready", True),
        ("ContainersReady", True),
    ):
        lacks = of_probes and bool(unready)
        value = "False" if lacks else "True"
        result.append(
            {
                "type": kind,
                "status": value,
                "reason": why if lacks else None,
                "message": message if lacks else None,
                "lastTransitionTime": since.get((kind, value), now),
            }
        )
    return result
