"""``python -m local_cluster.autoscaler``: the supervisor starts it, SIGTERM ends it."""

import argparse
import asyncio
import contextlib
import signal
from pathlib import Path

from local_cluster import api, folder
from local_cluster.autoscaler.loop import Loop


IDENTITY = "cluster-autoscaler"


def main() -> None:
    """Run the autoscaler until SIGTERM."""
    parser = argparse.ArgumentParser(prog="python -m local_cluster.autoscaler")
    parser.add_argument("--api", required=True, help="address of the API server")
    parser.add_argument("--folder", required=True, type=Path, help="the cluster's folder")
    asyncio.run(_run(parser.parse_args()))


async def _run(options: argparse.Namespace) -> None:
    pki = folder.Folder(options.folder).pki
    async with api.Client(options.api, pki, IDENTITY) as client:
        running = asyncio.create_task(Loop(client).run())
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, running.cancel)
        with contextlib.suppress(asyncio.CancelledError):
            await running


if __name__ == "__main__":
    main()
