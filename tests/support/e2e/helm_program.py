"""The real helm on the local cluster."""

import subprocess

from local_cluster import cluster, product


class Helm:
    """Runs helm as the administrator of a cluster."""

    def __init__(self, running: cluster.Cluster) -> None:
        self._cluster = running

    def attempt(self, *words: str) -> "subprocess.CompletedProcess[str]":
        """Run helm with these words, which may fail."""
        program = [str(self._cluster.binary("helm"))]
        return subprocess.run(
            [*program, "--kubeconfig", str(self._cluster.kubeconfig), *words],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def __call__(self, *words: str) -> str:
        """The output of helm; fails with its error."""
        done = self.attempt(*words)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def template(self, *words: str) -> str:
        """The manifests of the release, with the values that it was installed with."""
        values = str(self._cluster.folder / product.VALUES_FILE)
        place = ("-n", product.NAMESPACE, "-f", values)
        return self("template", product.RELEASE, str(product.CHART), *place, *words)
