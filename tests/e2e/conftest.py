"""One control plane with the operator installed by helm serves all cluster tests.

Every test has its own namespace, node pool and tree (``pool``), so tests share only the processes.
A test that disturbs the processes waits until they have settled again.
"""

import re
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling

import first_files
import grants
import installation
import namespaces
import prometheus_program
import scenes
import session_figures
import tenants
import users
import whole_files
from installation import Installation, Kubectl
from local_cluster import cluster as local
from prometheus_program import Prometheus
from users import Document
from waiting import eventually


_AT_EXIT: Final = re.compile(
    r"Exception ignored in: <function _SelectorTransport\.__del__[^\n]*\n"
    r"Traceback [^\n]*\n(?: [^\n]*\n)+TypeError: 'NoneType' object is not iterable"
)
"""What asyncio prints where a process ends while a client is still connected to a closed server."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that writes the table of docs/rules/layers.md again, and one of whole runs."""
    parser.addoption("--write-layers", action="store_true", help="write what was seen of layers")
    parser.addoption(
        "--each-grant-is-used", action="store_true", help="fail if the chart grants what is unused"
    )


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(request: pytest.FixtureRequest) -> Generator[None, object, object]:
    """Note the version of each control plane that a test's own fixture starts.

    Of fixtures of the session pytest asks no plugin of a folder.
    """
    made = yield
    if isinstance(made, local.Cluster):
        _note_version(request.config, made)
    return made


def _note_version(config: pytest.Config, running: local.Cluster) -> None:
    kubectl = Kubectl(running.binary("kubectl"), running.kubeconfig)
    session_figures.note_version(config, kubectl("version"))


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """A worker has ended (pytest-xdist)."""
    grants.take_over(node.config, getattr(node, "workeroutput", {}))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A whole run uses each grant of the chart."""
    grants.hand_over(session.config)
    asked = session.config.getoption("--each-grant-is-used")
    if asked and not hasattr(session.config, "workeroutput") and grants.unused(session.config):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Say what the chart grants, and what of it this run did not use."""
    if config.getoption("--each-grant-is-used"):
        for line in grants.table(config):
            terminalreporter.write_line(line)


class _ByInstallation(LoadFileScheduling):  # type: ignore[misc]  # xdist states no types
    """A file's tests run on one cluster; all that are admitted by policy run on the same one, which
    is upgraded for them once.
    """

    def _split_scope(self, nodeid: str) -> str:
        return "by policy" if "[policy" in nodeid else super()._split_scope(nodeid)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadFileScheduling:
    """Distribute the tests of several clusters."""
    return _ByInstallation(config, log)


@pytest.fixture(scope="session")
def measured(pytestconfig: pytest.Config) -> dict[str, float]:
    """Measured durations in seconds by label, printed at the end of the session."""
    return pytestconfig.stash.setdefault(session_figures.MEASURED, {})


@pytest.fixture(scope="session")
def counted(pytestconfig: pytest.Config) -> dict[str, int]:
    """Counts by label, printed at the end of the session."""
    return pytestconfig.stash.setdefault(session_figures.COUNTED, {})


@pytest.fixture(scope="session")
def cluster(
    tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config
) -> Iterator[local.Cluster]:
    """A control plane that ends with this process."""
    folder = tmp_path_factory.mktemp("cluster") / "local"
    with local.start(folder, autoscaler=True, say=print) as running:
        _note_version(pytestconfig, running)
        yield running


@pytest.fixture(scope="session")
def admin(cluster: local.Cluster) -> Iterator[users.User]:
    """The administrator of the cluster."""
    user = users.admin(cluster.kubeconfig)
    yield user
    user.close()


@pytest.fixture(scope="session")
def kubectl(cluster: local.Cluster) -> Kubectl:
    """The real kubectl, as the administrator."""
    return Kubectl(cluster.binary("kubectl"), cluster.kubeconfig)


@pytest.fixture(scope="session")
def release(
    cluster: local.Cluster, admin: users.User, pytestconfig: pytest.Config
) -> Iterator[Installation]:
    """The operator; at the end of the session its logs must contain no traceback, and it must have
    asked for nothing that the chart never grants.
    """
    installed = installation.first(cluster, admin)
    yield installed
    grants.keep(pytestconfig, installed.granted, grants.allowed(cluster.audit_log))
    # Tests take rights away, and what was not asked for before is refused then.
    refused = grants.never_allowed(cluster.audit_log) - installed.granted
    assert sorted(map(str, refused)) == []
    logs = {name: _AT_EXIT.sub("", log) for name, log in installed.logs().items()}
    loud = {name: log for name, log in logs.items() if "Traceback" in log}
    assert not loud, "\n".join(log[log.index("Traceback") :][:3000] for log in loud.values())


@pytest.fixture(scope="module")
def values() -> Document:
    """The module's chart values, on top of those of all tests; a module overrides this fixture."""
    return {}


@pytest.fixture(scope="module")
def product(release: Installation, values: Document) -> Installation:
    """The operator with the module's chart values, which stay until a module has others."""
    release.configure(values)
    return release


@pytest.fixture(scope="module")
def admission(product: Installation, request: pytest.FixtureRequest) -> None:
    """What holds new pods: the webhook, unless a test says otherwise (``BY_POLICY``)."""
    product.admit_by(getattr(request, "param", "webhook"))


@pytest.fixture(scope="module")
def prometheus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prometheus]:
    """A real Prometheus with the alerts of the chart, which fire without delay."""
    rules = prometheus_program.quick(prometheus_program.rules())
    with prometheus_program.running(tmp_path_factory.mktemp("prometheus"), rules) as found:
        yield found


@pytest.fixture
def scraping(prometheus: Prometheus, product: Installation, admission: None) -> Prometheus:
    """Every process of the operator is scraped."""
    prometheus_program.follow(prometheus, product)
    return prometheus


@pytest.fixture
def namespace(admin: users.User) -> Iterator[str]:
    """A new namespace, empty after the test."""
    name = namespaces.new(admin)
    yield name
    namespaces.leave(admin, name)


@pytest.fixture(params=first_files.FILES)
def hands(
    request: pytest.FixtureRequest, admin: users.User, kubectl: Kubectl
) -> Iterator[whole_files.Hands]:
    """Applies and deletes one of the files that a user applies first."""
    found = whole_files.Hands(admin, kubectl, first_files.FILES[request.param]())
    found.add_nodes()
    yield found
    found.leave()


@pytest.fixture
def new_pool(admission: None, admin: users.User) -> Iterator[Callable[..., scenes.Pool]]:
    """Makes pools: ``new_pool(nodes=2, cpu=8)``; nodes, profile and root quota exist then."""
    opened: list[scenes.Pool] = []

    def make(
        nodes: int = 2, *, capacity: dict[str, object] | None = None, **each: scenes.Amount
    ) -> scenes.Pool:
        opened.append(scenes.Pool(admin, namespaces.new(admin)))
        opened[-1].open(nodes, capacity=capacity, **each)
        return opened[-1]

    yield make
    for pool in opened:
        pool.close()


@pytest.fixture
def pool(new_pool: Callable[..., scenes.Pool]) -> scenes.Pool:
    """Two nodes of 8 cpu, so a tree of 16 cpu."""
    return new_pool(nodes=2, cpu=8)


@pytest.fixture
def tenant(admin: users.User, pool: scenes.Pool) -> Iterator[users.User]:
    """A user who may edit the pool's namespace and nothing else."""
    user = users.tenant(admin, pool.namespace)
    tenants.await_rights(user, pool.namespace, "Pod")
    yield user
    user.close()


@pytest.fixture(name="tenants")
def tenants_kubectl(tenant: users.User, kubectl: Kubectl, tmp_path: Path) -> Kubectl:
    """The real kubectl of a user who may edit one namespace."""
    return kubectl.of(tenant, tmp_path)


@pytest.fixture
def lent(pool: scenes.Pool) -> scenes.Pool:
    """Team ``mine`` holds 8 of 16 cpu, and one of its pods waits; ``theirs`` holds the other 8."""
    pool.quota("mine", min=4, max=16)
    pool.quota("theirs", min=4, max=16)
    pool.pods("theirs", 8)
    pool.pods("mine", 8)
    eventually(lambda: (len(pool.running("mine")), len(pool.running("theirs"))), (8, 8))
    pool.pods("mine", 1, prefix="late")
    eventually(lambda: pool.status("mine").get("pods"), {"admitted": 8, "gated": 1})
    eventually(lambda: pool.status("theirs").get("pods"), {"admitted": 8, "gated": 0})
    return pool
