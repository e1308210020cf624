"""``python -m local_cluster.process_node``: the supervisor starts it, SIGTERM ends it."""

import argparse
import asyncio
import contextlib
import signal
from pathlib import Path

from local_cluster.process_node import agent


def main() -> None:
    """Run the process node until SIGTERM."""
    parser = argparse.ArgumentParser(prog="python -m local_cluster.process_node")
    parser.add_argument("--api", required=True, help="address of the API server")
    parser.add_argument("--folder", required=True, type=Path, help="the cluster's folder")
    parser.add_argument("--network", required=True, help="first three bytes of node and pod IPs")
    options = parser.parse_args()
    asyncio.run(_run(options))


async def _run(options: argparse.Namespace) -> None:
    serving = asyncio.create_task(agent.serve(options.api, options.folder, options.network))
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, serving.cancel)
    with contextlib.suppress(asyncio.CancelledError):
        await serving


if __name__ == "__main__":
    main()
