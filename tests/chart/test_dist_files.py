"""What ``make dist`` writes works in an empty environment, from the written file alone."""

import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from dist import bill_of_materials, chart, distributions, manifests
from dist.chart import Image
from local_cluster import build


pytestmark = [pytest.mark.cluster, pytest.mark.timeout(300)]

OPERATOR = "elastic_quota_operator"
IMPORTERS = "elastic_quota_import"
ROOT = Path(__file__).parents[2]
CHART = ROOT / "charts" / "elastic-quota-operator"
IMAGE = Image("registry.example.com/team", f"sha256:{'a' * 64}")
REFERENCE = f"registry.example.com/team/elastic-quota-operator@{IMAGE.digest}"


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with wheel and source distribution."""
    folder = tmp_path_factory.mktemp("dist")
    distributions.write(ROOT, folder)
    return folder


@pytest.fixture(scope="module")
def python(written: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment that has the wheel and its pinned requirements only."""
    (wheel,) = written.glob(f"{OPERATOR}-*.whl")
    return bill_of_materials.installed(ROOT, wheel, tmp_path_factory.mktemp("empty"))


@pytest.fixture(scope="module")
def helm() -> Path:
    return build.ensure(["helm"], print)["helm"]


def run(program: Path, *words: str) -> str:
    """The output of a program that has nothing of this environment."""
    done = subprocess.run(
        [program, *words],
        cwd="/",
        env={"PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_the_wheel_runs_with_its_pinned_requirements(python: Path) -> None:
    place = run(python, "-c", "import elasticquota; print(elasticquota.__file__)").strip()
    assert Path(place).is_relative_to(python.parents[1])
    assert run(python.with_name("elastic-quota"), "version").startswith("elastic-quota")
    example = str(ROOT / "examples" / "simulate" / "cluster.yaml")
    assert "team-a" in run(python.with_name("kubectl-elastic_quota"), "simulate", "-f", example)


def test_the_importers_wheel_adds_its_verbs_to_the_operators(python: Path, written: Path) -> None:
    (wheel,) = written.glob(f"{IMPORTERS}-*.whl")
    example = str(ROOT / "examples" / "import" / "kueue.yaml")
    program = python.with_name("kubectl-elastic_quota")
    alone = subprocess.run([program, "import", "kueue", "-f", example], check=False)
    subprocess.run(
        [sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", wheel],
        check=True,
    )
    assert alone.returncode == 2
    assert "kind: ElasticQuota" in run(program, "import", "kueue", "-f", example)


@pytest.mark.parametrize("name", [OPERATOR, IMPORTERS])
def test_the_source_distribution_builds_the_same_wheel(
    written: Path, tmp_path: Path, name: str
) -> None:
    (source,) = written.glob(f"{name}-*.tar.gz")
    with tarfile.open(source) as archive:
        archive.extractall(tmp_path, filter="data")
    (unpacked,) = tmp_path.iterdir()
    distributions.build(unpacked, tmp_path)
    (wheel,) = written.glob(f"{name}-*.whl")
    assert (tmp_path / wheel.name).read_bytes() == wheel.read_bytes()


def test_the_packed_chart_renders_the_published_image(helm: Path, tmp_path: Path) -> None:
    chart.package(helm, chart.with_image(CHART, IMAGE, tmp_path), tmp_path)
    (packed,) = tmp_path.glob("*.tgz")
    found = manifests.rendered(helm, packed)
    images = [line.strip() for line in found.splitlines() if line.strip().startswith("image:")]
    assert images == [f'image: "{REFERENCE}"'] * 2
