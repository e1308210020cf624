"""The written manifests install the product without Helm: as one file, and as a kustomize base.

Helm takes the installation over afterwards, and upgrades it.
Only the placement differs from what ``make dist`` writes: the pods run on the process node.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from dist import manifests
from installation import NAMESPACE, Installation, Kubectl
from local_cluster import build
from local_cluster import cluster as local
from local_cluster import product as chart
from scenes import Pool
from waiting import eventually


pytestmark = [pytest.mark.cluster, pytest.mark.long]

APPLY = ("apply", "--server-side", "--field-manager=helm")

Way = Callable[[str, Path], tuple[str, str]]


def file(rendered: str, folder: Path) -> tuple[str, str]:
    """The words by which kubectl reads ``install.yaml``."""
    path = folder / "install.yaml"
    path.write_text(manifests.install(rendered))
    return "-f", str(path)


def base(rendered: str, folder: Path) -> tuple[str, str]:
    """The words by which kubectl reads the base, with one label that an overlay adds."""
    for name, text in manifests.kustomize(rendered, "0.1.0").items():
        (folder / "base").mkdir(exist_ok=True)
        (folder / "base" / name).write_text(text)
    overlay = "resources: [base]\nlabels:\n- pairs: {example.com/owner: platform}\n"
    (folder / "kustomization.yaml").write_text(overlay)
    return "-k", str(folder)


@pytest.mark.parametrize("way", [file, base])
def test_kubectl_installs_a_product_that_holds_and_admits_and_helm_takes_it_over(
    way: Way,
    pool: Pool,
    product: Installation,
    cluster: local.Cluster,
    kubectl: Kubectl,
    tmp_path: Path,
) -> None:
    helm = build.ensure(["helm"], print)["helm"]
    rendered = manifests.rendered(helm, chart.CHART, chart.values_for(cluster.service_port))
    read = way(rendered, tmp_path)
    product.uninstall()
    try:
        kubectl(*APPLY, "--force-conflicts", *read)
        product.settle()
        pool.quota("team", min=2, max=2)
        pool.pods("team", 3)
        eventually(lambda: (len(pool.running("team")), len(pool.gated("team"))), (2, 1))
        marked = kubectl("get", "deploy", "-n", NAMESPACE, "-l", "example.com/owner", "-o", "name")
        assert len(marked.splitlines()) == (2 if read[0] == "-k" else 0)
    finally:
        product.take_over()
    pool.pods("team", 1, prefix="later")
    eventually(lambda: (len(pool.running("team")), len(pool.gated("team"))), (2, 2))
    # Its rules and webhooks change: no other client owns them.
    with product.upgraded({"dialects": {"jobs": True}, "crds": {"dialects": {"jobs": True}}}):
        pass
