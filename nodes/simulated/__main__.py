"""`python -m nodes.simulated`: one simulated node as a process; prints `ready URL`, ends on SIGTERM."""

import argparse
import asyncio
import signal
import sys

from nodes.simulated.fronts import FRONTS
from nodes.simulated.machine import Machine
from nodes.simulated.server import SimulatedNode

# Option → the machine's field, and what the option's default and help are here.
RATES = (
    ("--memory-gb", "memory_gb", 32.0, "memory for models, 10⁹ bytes"),
    ("--tokens-per-second", "tokens_per_second", 50.0, "of each answer; 0: as fast as possible"),
    ("--prefill-per-second", "prefill_per_second", 500.0, "prompt tokens; 0: as fast as possible"),
    ("--load-gbps", "load_gbps", 2.0, "from disk to memory; 0: at once"),
    ("--pull-gbps", "pull_gbps", 0.5, "from the registry to disk; 0: at once"),
    ("--keep-alive", "keep_alive", 300.0, "seconds that an idle model stays in memory"),
)
COUNTS = (
    ("--parallel", "parallel", 1, "requests that a loaded model answers at once"),
    ("--max-loaded", "max_loaded", 3, "models in memory"),
    ("--max-queue", "max_queue", 512, "requests that wait for a load"),
    ("--context", "context", 4096, "tokens"),
    ("--answer-tokens", "answer_tokens", 12, "length of an answer without a limit"),
)


def main(arguments: list[str]) -> int:
    """Run until a signal; 0, or 2 if the arguments or the port are of no use."""
    given = vars(_parser().parse_args(arguments))
    models, registry, port, control = (given.pop(name) for name in ("models", "registry", "port", "control"))
    try:
        asyncio.run(_serve(SimulatedNode(models, Machine(**given), registry, control), port))
    except (ValueError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m nodes.simulated", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0: a free one")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--engine", choices=tuple(FRONTS), default="ollama")
    parser.add_argument("--version", default="0.32.2", help="what /api/version says")
    parser.add_argument("--models", default="qwen2.5:7b=4.7", help="on its disk: NAME=GB,… with /completion+tools")
    parser.add_argument("--registry", default="", help="what can be pulled, in the same form")
    parser.add_argument("--control", action="store_true", help="faults and counters under /sim/")
    for option, field, default, text in RATES:
        parser.add_argument(option, dest=field, type=float, default=default, help=text)
    for option, field, count, text in COUNTS:
        parser.add_argument(option, dest=field, type=int, default=count, help=text)
    return parser


async def _serve(node: SimulatedNode, port: int) -> None:
    stopped, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopped.set)
    print(f"ready {await node.start(port)}", flush=True)
    await stopped.wait()
    await node.stop()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
