"""The operator as it is installed: its pods, its leader, and ways to disturb it and wait for it."""

import json
import os
import signal
import subprocess
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import pytest

import grants
import served
import users
from local_cluster import cluster, product
from scenes import PRIORITIES
from users import Document, User
from waiting import eventually


NAMESPACE = product.NAMESPACE
CONTROLLER = f"{product.RELEASE}-controller"
WEBHOOK = f"{product.RELEASE}-webhook"
CONTROLLER_USER = f"system:serviceaccount:{NAMESPACE}:{CONTROLLER}"
WEBHOOK_USER = f"system:serviceaccount:{NAMESPACE}:{WEBHOOK}"


_BY_POLICY = pytest.param("auto", id="policy", marks=served.since(36))

BY_POLICY = pytest.mark.parametrize("admission", [_BY_POLICY], indirect=True, scope="module")
"""Tests of the installation in which the API server itself holds new pods."""

BY_BOTH = pytest.mark.parametrize(
    "admission",
    [pytest.param("webhook", id="webhook"), _BY_POLICY],
    indirect=True,
    scope="module",
)
"""Tests that give the same result whether webhook or policy holds new pods."""

_VALUES = {
    "podAdmission": "webhook",
    "config": {
        "defaultTree": {"childNamespaces": ["*"]},
        "reclaim": {"graceSeconds": 1, "delaySeconds": 3, "evictionsPerSecond": 2},
        "lease": {"durationSeconds": 8, "renewSeconds": 6, "retrySeconds": 1},
    },
}
"""Reclaim waits 1 s for owners and 3 s otherwise, and the Lease lasts 8 s, so that no test waits
long; two evictions a second make a reclaim slow enough to be disturbed. Examples of the docs are
in the default tree, whatever their namespace. Otherwise the chart's defaults apply."""

_PROBE: Document = {
    "apiVersion": "scheduling.sigs.k8s.io/v1alpha1",
    "kind": "ElasticQuota",
    "metadata": {"name": "probe", "namespace": "default"},
}


class Installation:
    """The release in ``NAMESPACE`` of one local cluster, with helm values of its own."""

    def __init__(self, running: cluster.Cluster, admin: User, values: Mapping[str, object]) -> None:
        self._cluster = running
        self._admin = admin
        self._usual = values
        self._values = values
        self.granted: set[grants.Right] = set()
        """What any of the values that it had let its accounts do."""

    def install(self) -> None:
        """Install by helm and wait until it works."""
        product.install(self._cluster, self._values)
        self._note_grants()
        self.settle()

    def take_over(self) -> None:
        """Install by helm where the same objects were installed without it."""
        product.install(self._cluster, self._values, taking_ownership=True)
        self.settle()

    def take_back(self) -> None:
        """Upgrade by helm to the present values, where another tool has applied them."""
        product.upgrade(self._cluster, self._values, taking_ownership=True)
        self.settle()

    def upgrade(self, values: Mapping[str, object], chart: Path = product.CHART) -> None:
        """Upgrade by helm to these values on top of the installed ones."""
        self._upgrade_to(product.overlaid(self._values, values), chart)

    def configure(self, values: Mapping[str, object]) -> None:
        """Have these values on top of the usual ones, but for what holds new pods; upgrade by helm
        unless it is so already.
        """
        wanted = product.overlaid(self._usual, values)
        wanted["podAdmission"] = self._values["podAdmission"]
        if self._values != wanted:
            self._upgrade_to(wanted)

    def seize(self, values: Mapping[str, object]) -> None:
        """Upgrade by helm to these values on top of the installed ones, which take over fields that
        the webhook has written.
        """
        self._upgrade_to(product.overlaid(self._values, values), taking_ownership=True)

    @contextmanager
    def upgraded(self, values: Mapping[str, object], chart: Path = product.CHART) -> Iterator[None]:
        """Upgraded by helm inside the block, rolled back to the present revision by helm at its
        end.
        """
        before, revision = self._values, product.revision(self._cluster)
        self.upgrade(values, chart)
        try:
            yield
        finally:
            product.rollback(self._cluster, revision)
            self._values = before
            self.settle()

    def admit_by(self, whom: str) -> None:
        """Let ``webhook``, ``policy`` or ``auto`` hold new pods, unless it is so already."""
        if self._values["podAdmission"] != whom:
            self.upgrade({"podAdmission": whom})

    def uninstall(self) -> None:
        """Uninstall by helm."""
        product.uninstall(self._cluster)

    def pods(self, deployment: str) -> dict[str, Document]:
        """The deployment's pods that are not being deleted, by name."""
        return {
            name: pod
            for name, pod in self._all_pods(deployment).items()
            if "deletionTimestamp" not in pod["metadata"]
        }

    def leaving(self, deployment: str) -> set[str]:
        """Names of the deployment's pods that are being deleted and still run."""
        return set(self._all_pods(deployment)) - set(self.pods(deployment))

    def ready(self, deployment: str) -> int:
        """How many of the deployment's pods are Ready."""
        return sum(
            found["type"] == "Ready" and found["status"] == "True"
            for pod in self.pods(deployment).values()
            for found in (pod.get("status") or {}).get("conditions") or ()
        )

    def leader(self) -> str:
        """Name of the controller pod that holds the Lease; empty when no pod holds it."""
        spec = self._admin.get("Lease", CONTROLLER, NAMESPACE)["spec"]
        holder = str(spec.get("holderIdentity") or "")
        return holder if holder in self.pods(CONTROLLER) else ""

    def kill(self, pod: str) -> None:
        """``kill -9`` of the pod's process."""
        os.kill(self.pid(pod), signal.SIGKILL)

    @contextmanager
    def restarted(self, pod: str) -> Iterator[None]:
        """The block ends the pod's process by some means; at its end another process is ready."""

        def process() -> Document:
            found: Document = self.pods(CONTROLLER)[pod]["status"]["containerStatuses"][0]
            return found

        before = process()["restartCount"]
        yield
        eventually(process, lambda now: now["restartCount"] > before and now["ready"], within=60)

    @contextmanager
    def paused(self, pod: str) -> Iterator[None]:
        """The pod's process is stopped inside the block, and does not know it afterwards."""
        pid = self.pid(pod)
        os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            with suppress(ProcessLookupError):  # its node may have ended it meanwhile
                os.kill(pid, signal.SIGCONT)

    def pid(self, pod: str) -> int:
        """The pod's process; raises ``ProcessLookupError``."""
        container = "controller" if pod.startswith(CONTROLLER) else "webhook"
        pid = self._cluster.pod_pid(NAMESPACE, pod, container)
        if pid is None:
            raise ProcessLookupError(f"{pod} does not run")
        return pid

    def settle(self) -> None:
        """Wait until two controllers and two webhooks are Ready and one controller leads."""
        for deployment in (CONTROLLER, WEBHOOK):
            self._admin.patch("Deployment", deployment, NAMESPACE, change={"spec": {"replicas": 2}})
            eventually(partial(self.ready, deployment), 2, within=60)
        eventually(self.leader, bool, within=30)

    @contextmanager
    def with_replicas(self, deployment: str, count: int) -> Iterator[None]:
        """The deployment has so many pods; all are Ready at the beginning of the block."""
        change = {"spec": {"replicas": count}}
        self._admin.patch("Deployment", deployment, NAMESPACE, change=change)
        eventually(partial(self.ready, deployment), count, within=60)
        try:
            yield
        finally:
            self.settle()

    @contextmanager
    def without(self, *deployments: str) -> Iterator[None]:
        """No process of these deployments runs inside the block; they are killed without a
        shutdown.
        """
        for deployment in deployments:
            self._admin.patch("Deployment", deployment, NAMESPACE, change={"spec": {"replicas": 0}})
        try:
            for deployment in deployments:
                eventually(partial(self.pods, deployment), {})
                for pod in self._all_pods(deployment):
                    with suppress(ProcessLookupError):
                        self.kill(pod)
                eventually(partial(self._all_pods, deployment), {})
            yield
        finally:
            self.settle()

    @contextmanager
    def without_webhook(self) -> Iterator[None]:
        """No webhook process runs inside the block."""
        with self.without(WEBHOOK):
            yield

    @contextmanager
    def unguarded(self) -> Iterator[None]:
        """No webhook runs, and the API server ignores that: anything can be stored."""
        with self.without_webhook():
            self._on_failure("Ignore")
            # The API server takes a moment to learn of it.
            eventually(lambda: self._admin.create(_PROBE, dry_run=True), bool)
            try:
                yield
            finally:
                self._on_failure("Fail")

    def _upgrade_to(
        self,
        values: Mapping[str, object],
        chart: Path = product.CHART,
        *,
        taking_ownership: bool = False,
    ) -> None:
        self._values = values
        product.upgrade(self._cluster, values, chart, taking_ownership=taking_ownership)
        self._note_grants()
        self.settle()
        # Until they are gone, webhooks with the former values answer too.
        eventually(partial(self.leaving, WEBHOOK), set(), within=60)

    def _note_grants(self) -> None:
        self.granted |= grants.granted(self._admin, (CONTROLLER_USER, WEBHOOK_USER))

    def logs(self) -> dict[str, str]:
        """Output of every container of the operator, over all restarts."""
        folder = self._cluster.pod_log(NAMESPACE, "any", "any").parent
        return {
            path.name: path.read_text(errors="replace")
            for path in sorted(folder.glob(f"{NAMESPACE}_elastic-quota-*.log"))
        }

    def forget_logs(self, pods: Collection[str]) -> None:
        """Remove the output of these pods of the controller, which no longer run."""
        for pod in pods:
            self._cluster.pod_log(NAMESPACE, pod, "controller").unlink()

    def _all_pods(self, deployment: str) -> dict[str, Document]:
        pods = {pod["metadata"]["name"]: pod for pod in self._admin.list("Pod", NAMESPACE)}
        return {name: pod for name, pod in pods.items() if name.startswith(f"{deployment}-")}

    def _on_failure(self, policy: str) -> None:
        """Set the failure policy of the webhooks for quotas and profiles."""
        for kind in ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"):
            webhooks = self._admin.get(kind, WEBHOOK)["webhooks"]
            change = [
                {"op": "replace", "path": f"/webhooks/{index}/failurePolicy", "value": policy}
                for index, webhook in enumerate(webhooks)
                if webhook["name"] in ("quota.elasticquota.dev", "profile.elasticquota.dev")
            ]
            self._admin.patch(kind, WEBHOOK, change=change)


def documents(objects: Iterable[Document]) -> str:
    """The objects as one input of kubectl."""
    return "\n---\n".join(map(json.dumps, objects))


class Kubectl:
    """The real kubectl, as the admin unless another user is given."""

    def __init__(self, binary: Path, kubeconfig: Path) -> None:
        self._binary = binary
        self._kubeconfig = kubeconfig

    def __call__(self, *words: str, stdin: str = "") -> str:
        """The output of the command; fails with its error."""
        done = self.attempt(*words, stdin=stdin)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def attempt(self, *words: str, stdin: str = "") -> "subprocess.CompletedProcess[str]":
        """The same, for commands that may fail."""
        return subprocess.run(
            [self._binary, "--kubeconfig", self._kubeconfig, *words],
            input=stdin,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def of(self, user: User, folder: Path) -> "Kubectl":
        """The same with the token of ``user`` and nothing else; ``folder`` keeps its kubeconfig."""
        return Kubectl(self._binary, users.kubeconfig(user, folder))


def first(running: cluster.Cluster, admin: User) -> Installation:
    """Install the operator into a new cluster, and the priority classes that tests use."""
    for name, value in PRIORITIES.items():
        admin.create(
            {
                "apiVersion": "scheduling.k8s.io/v1",
                "kind": "PriorityClass",
                "metadata": {"name": name},
                "value": value,
            }
        )
    installed = Installation(running, admin, _VALUES)
    installed.install()
    return installed
