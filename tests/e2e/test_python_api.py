"""The examples in Python on a real cluster: the official client, and a handler of Kopf.

They run in an environment that has what their first lines install, and nothing else.
"""

import subprocess
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

import installed_extra
from installation import Installation
from local_cluster import cluster as local
from scenes import Pool
from waiting import eventually


pytestmark = pytest.mark.cluster

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "python"
HEAD = "team,namespace,parent,cpu guaranteed,cpu at most,memory guaranteed,memory at most"


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """That of an environment with the extra ``api`` and the official client."""
    return installed_extra.python(ROOT, tmp_path_factory.mktemp("api"), "api", "kubernetes")


@pytest.fixture(autouse=True)
def _kubeconfig(
    cluster: local.Cluster, product: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBECONFIG", str(cluster.kubeconfig))


@pytest.fixture
def who_waits(pool: Pool, python: Path, tmp_path: Path) -> Iterator[Path]:
    """What the handler says, run by Kopf's command for the namespace of the pool."""
    said = tmp_path / "said"
    kopf = [python, "-m", "kopf", "run", "-n", pool.namespace, EXAMPLES / "who_waits.py"]
    with said.open("w", encoding="utf-8") as output:
        process = subprocess.Popen(list(map(str, kopf)), stdout=output, stderr=output)
    yield said
    process.terminate()
    assert process.wait(timeout=30) == 0, said.read_text(encoding="utf-8")


def apply_teams(python: Path, file: Path, text: str) -> subprocess.CompletedProcess[str]:
    """Run the example with these lines."""
    file.write_text(text, encoding="utf-8")
    command = [str(python), str(EXAMPLES / "apply_teams.py"), str(file)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_the_teams_of_a_file_become_quotas_and_follow_it(
    pool: Pool, python: Path, tmp_path: Path
) -> None:
    def lines(at_most: str) -> str:
        of = f"{pool.namespace},{pool.root}"
        rows = (
            f"{pool.name('speech')},{of},4,{at_most},8Gi,16Gi",
            f"{pool.name('vision')},{of},2,8,4Gi,16Gi",
        )
        return "\n".join((HEAD, *rows))

    done = apply_teams(python, tmp_path / "teams.csv", lines("12"))
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        f"{pool.namespace}/{pool.name(each)} applied" for each in ("speech", "vision")
    ]
    for each in ("speech", "vision"):
        eventually(partial(pool.status, each), lambda found: found.get("parent") == pool.root)
    again = apply_teams(python, tmp_path / "teams.csv", lines("10"))
    assert again.returncode == 0, again.stderr
    assert pool.get("speech")["spec"]["max"]["cpu"] == "10"


def test_what_the_api_server_refuses_is_in_the_error(
    pool: Pool, python: Path, tmp_path: Path
) -> None:
    row = f"{pool.name('speech')},{pool.namespace},{pool.root},4,2,8Gi,16Gi"
    done = apply_teams(python, tmp_path / "teams.csv", f"{HEAD}\n{row}")
    assert done.returncode == 1
    assert "cpu: 4 must be less than or equal to 2" in done.stderr


def test_the_handler_says_who_waits(pool: Pool, who_waits: Path) -> None:
    pool.quota("team", min=1, max=2)
    pool.pods("team", 3, cpu=1)
    eventually(
        lambda: who_waits.read_text(encoding="utf-8"),
        lambda text: "waiting pods: 1; the next one: " in text,
        within=60,
    )
    assert "Traceback" not in who_waits.read_text(encoding="utf-8")
    assert "Logging" not in pool.events(pool.name("team"), kind="ElasticQuota")


def test_the_environment_of_the_examples_has_no_more_than_they_install(python: Path) -> None:
    absent = "import importlib.util as u; print([u.find_spec(n) for n in ('pytest', 'hypothesis')])"
    asked = [str(python), "-c", f"import elasticquota_api, kopf, kubernetes; {absent}"]
    done = subprocess.run(asked, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[None, None]"
