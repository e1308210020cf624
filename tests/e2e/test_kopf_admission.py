"""The whole operator in one process, as ``make dev`` runs it: Kopf serves admission too.

On a cluster of its own, because the operator is not installed in it. Kopf collects handlers in a
registry of the process; the tests have one of their own, so that others do not run admission too.
"""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import kopf
import pytest
from kopf.testing import KopfRunner

import dev
import served
import users
from local_cluster import cluster as local
from local_cluster import ports, product
from scenes import GATE, PREFIX, Pool
from users import RefusedError, User
from waiting import eventually


pytestmark = pytest.mark.cluster

CONFIGURATIONS = "dev.elasticquota.dev"


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[local.Cluster]:
    with local.start(tmp_path_factory.mktemp("dev") / "local", say=print) as running:
        yield running


@pytest.fixture
def admin(own: local.Cluster) -> Iterator[User]:
    user = users.admin(own.kubeconfig)
    yield user
    user.close()


@pytest.fixture
def registry() -> Iterator[None]:
    """A registry of its own, into which Kopf's command imports the handlers."""
    before = kopf.get_default_registry()
    loaded: dict[str, ModuleType] = {
        name: sys.modules.pop(name) for name in dev.MODULES if name in sys.modules
    }
    kopf.set_default_registry(type(before)())
    yield
    kopf.set_default_registry(before)
    for name in dev.MODULES:  # other tests import them into the registry of before
        package, _, short = name.rpartition(".")
        if sys.modules.pop(name, None) is not None:
            delattr(sys.modules[package], short)
        if name in loaded:
            setattr(sys.modules[package], short, loaded[name])
    sys.modules.update(loaded)


@pytest.fixture
def port() -> int:
    with ports.reserve() as found:
        return ports.number(found)


def judged(admin: User) -> int:
    """How many webhooks the API server asks."""
    kinds = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
    found = [admin.find(kind, CONFIGURATIONS) for kind in kinds]
    return sum(len(each.get("webhooks") or ()) for each in found if each)


def holder(admin: User) -> str:
    lease = admin.find("Lease", dev.ACCOUNT, product.NAMESPACE)
    return str(lease["spec"]["holderIdentity"]) if lease else ""


def use(admin: User, namespace: str) -> None:
    """A profile makes a tree, a right quota is completed, a wrong one refused, a pod held."""
    admin.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
    pool = Pool(admin, namespace)
    pool.open(nodes=1, cpu=8)
    pool.department("dept", min=4, max=8)
    assert pool.get("dept")["metadata"]["labels"][f"{PREFIX}tree-id"]
    with pytest.raises(RefusedError, match=r"spec.min.cpu: 5 must be .*\[EQ1104\]"):
        pool.quota("wrong", min=5, max=8, parent="dept")
    pool.quota("team", min=4, max=4, parent="dept")
    assert pool.pod("web", "team")["spec"]["schedulingGates"] == [{"name": GATE}]
    eventually(lambda: pool.running("team"), {"web"})
    pool.close()


@served.since(34)  # the files in crds/ are applied as they are
def test_kopf_runs_controller_and_admission_in_one_process_and_leaves_nothing_running(
    own: local.Cluster,
    admin: User,
    registry: None,
    port: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in dev.prepare(own, tmp_path, port).items():
        monkeypatch.setenv(name, value)
    threads = {*threading.enumerate()}
    _, _, *arguments = dev.arguments()  # without "-m kopf"
    with KopfRunner(arguments, timeout=60) as runner:
        eventually(lambda: judged(admin) > 0, wanted=True, within=60)
        eventually(lambda: holder(admin) != "", wanted=True, within=60)
        use(admin, "by-kopf")
    assert runner.exit_code == 0, runner.exception
    assert "Traceback" not in runner.output
    assert (judged(admin), holder(admin)) == (0, "")
    assert {each for each in threading.enumerate() if each.is_alive()} <= threads


@served.since(34)  # the files in crds/ are applied as they are
def test_make_dev_runs_it_on_the_cluster_of_the_folder_until_it_is_interrupted(
    own: local.Cluster, admin: User, port: int
) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "dev", "--dir", str(own.folder), "--port", str(port)],
        env={**os.environ, "PYTHONPATH": str(Path(dev.__file__).parent)},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        eventually(lambda: judged(admin) > 0, wanted=True, within=60)
        use(admin, "by-make")
    finally:
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=60)
    assert process.returncode == 0, told
    assert "Ctrl-C ends the operator; make cluster-down ends the control plane" in told
    assert "Traceback" not in told
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)
    assert own.running()
