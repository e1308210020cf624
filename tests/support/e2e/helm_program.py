"""The real helm on the local cluster."""

import subprocess

from local_cluster import cluster, product


class Helm:
    """Runs helm as the administrator of a cluster."""

    def __init__(self, running: cluster.Cluster) -> None:
        self._cluster = running

    def attempt(self, *words: str, stdin: str = "") -> "subprocess.CompletedProcess[str]":
        """Run helm with these words, which may fail."""
        program = [str(self._cluster.binary("helm"))]
        return subprocess.run(
            [*program, "--kubeconfig", str(self._cluster.kubeconfig), *words],
            input=stdin,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def __call__(self, *words: str, stdin: str = "") -> str:
        """The output of helm; fails with its error."""
        done = self.attempt(*words, stdin=stdin)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def template(self, *words: str) -> str:
        """The manifests of the release, with the values of its current revision."""
        place = ("-n", product.NAMESPACE)
        values = self("get", "values", product.RELEASE, *place, "-o", "json")
        chart = ("template", product.RELEASE, str(product.CHART))
        return self(*chart, *place, "-f", "-", *words, stdin=values)
