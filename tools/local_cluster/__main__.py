"""``python -m local_cluster build|servers|up|down``: manages the cluster by hand."""

import argparse
import sys
import time
from pathlib import Path

from local_cluster import binaries, build, cluster, supervisor


DEFAULT_FOLDER = build.TOOLS.parent / ".cache" / "cluster"


def main() -> int:
    """Run the command line; returns 0, 1 with a message on an error, or 130 on Ctrl-C."""
    if sys.argv[1:2] == ["supervise"]:
        return supervisor.main()
    options = _parse()
    try:
        return int(options.action(options))
    except (cluster.ClusterError, build.BuildError) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted; nothing is left running", file=sys.stderr)
        return 130


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m local_cluster",
        description="A real Kubernetes control plane on this machine's loopback.",
    )
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    for name, action, text in (
        ("build", _build, "find or build the programs of the control plane, and promtool"),
        ("servers", _servers, "build the servers of one Kubernetes and print their folder"),
        ("up", _up, "start a cluster"),
        ("down", _down, "stop the cluster and remove its data"),
    ):
        sub = actions.add_parser(name, help=text, description=text)
        sub.add_argument(
            "--dir", type=Path, default=DEFAULT_FOLDER, help="the cluster's folder [%(default)s]"
        )
        sub.set_defaults(action=action)
        if name == "servers":
            sub.add_argument("minor", choices=build.BY_MINOR, help="the minor version")
        if name == "up":
            sub.add_argument(
                "--autoscaler",
                action="store_true",
                help="run the simulated autoscaler (examples/autoscaled)",
            )
    return parser.parse_args()


def _build(_: argparse.Namespace) -> int:
    found = binaries.find(build.say) | build.ensure(["promtool"], build.say, build.PROMETHEUS)
    for name, path in found.items():
        print(f"{name:24} {path}")
    return 0


def _servers(options: argparse.Namespace) -> int:
    recipe = build.BY_MINOR[options.minor]
    found = build.ensure(recipe.packages, build.say, recipe)
    print(next(iter(found.values())).parent)
    return 0


def _up(options: argparse.Namespace) -> int:
    if (running := cluster.attach(options.dir)) is not None:
        print(f"a cluster runs already in {running.folder}")
        print(f"export KUBECONFIG={running.kubeconfig}")
        return 0
    began = time.monotonic()
    started = cluster.start(options.dir, tied=False, autoscaler=options.autoscaler, say=build.say)
    build.say(f"the cluster is up after {time.monotonic() - began:.1f} s")
    print(f"export KUBECONFIG={started.kubeconfig}", flush=True)
    return 0


def _down(options: argparse.Namespace) -> int:
    running = cluster.attach(options.dir)
    if running is None:
        print(f"no cluster runs in {options.dir}")
        return 0
    running.stop()
    print(f"the cluster in {running.folder} is stopped; its logs stay there")
    return 0


if __name__ == "__main__":
    sys.exit(main())
