"""What the router costs: the same load, sent to an engine directly and through the router, in turn.

    make bench-overhead            needs a C compiler beside what `make serve` needs

Load (`lg.c`) and engine (`fake.c`) are C, one thread each, so that they are not what is measured. CPU is read from the
clocks of the router's process at the two edges of each window. Rounds are interleaved; the median of them is printed.
"""

import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
ROUNDS, WINDOW, WARM_UP, IDLE_WINDOW, SETTLE = 3, 4.0, 1.0, 20.0, 3.0
NODES = 20
CHAT = [{"role": "user", "content": "hi"}]


@dataclass(frozen=True)
class Load:
    """One kind of traffic. The model's name tells the fake engine what to answer."""

    name: str
    path: str
    model: str
    connections: int
    stream: bool = False

    @property
    def body(self) -> str:
        return json.dumps({"model": self.model, "stream": self.stream, "messages": CHAT})


LOADS = (
    Load("JSON chat, 1 connection", "/v1/chat/completions", "llama-c1d0:3b", 1),
    Load("JSON chat, 16 connections", "/v1/chat/completions", "llama-c1d0:3b", 16),
    Load("50 chunks of 1 ms, 1 connection", "/api/chat", "llama-c50d1000:3b", 1, True),
    Load("50 chunks of 1 ms, 16 connections", "/v1/chat/completions", "llama-c50d1000:3b", 16, True),
    Load("50 chunks of 20 ms, 150 connections", "/api/chat", "llama-c50d20000:3b", 150, True),
)
FEW = LOADS[1], LOADS[3]
IDEAL_RATE = {"50 chunks of 20 ms, 150 connections": 150.0}


def main() -> None:
    """Measure and print a table in Markdown, then every figure as JSON."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        lg, fake = (compiled(name, folder) for name in ("lg", "fake"))
        ports = stack.enter_context(engines(fake, NODES))
        router, port = stack.enter_context(routers(folder / "data"))
        add(folder / "data", ports[:1])
        rounds = [{load.name: measured(lg, load, ports[0], port, router) for load in LOADS} for _ in range(ROUNDS)]
        report("one node", LOADS, rounds)
        add(folder / "data", ports[1:])
        idle = idle_cost(router)
        more = [{load.name: measured(lg, load, ports[0], port, router) for load in FEW} for _ in range(ROUNDS)]
        report(f"{NODES} nodes that could all serve", FEW, more)
        print(f"\nMemory after the load: {memory_mb(router):.0f} MB.", end=" ")
        print(f"Idle with {NODES} nodes: {100 * idle:.2f} % of a core.")
        print(json.dumps([rounds, more]), file=sys.stderr)


def compiled(name: str, folder: Path) -> Path:
    """The C tool, built; exits with what to do where there is no compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        sys.exit("A C compiler is missing. Debian: apt-get install gcc · macOS: xcode-select --install")
    subprocess.run([compiler, "-O2", "-o", str(folder / name), str(HERE / f"{name}.c")], check=True)
    return folder / name


@contextmanager
def engines(fake: Path, count: int) -> Iterator[list[int]]:
    """So many fake engines; their ports."""
    with subprocess.Popen([fake, str(count)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield [int(word) for word in process.stdout.readline().split()[1:]]
        process.terminate()


@contextmanager
def routers(data: Path) -> Iterator[tuple[int, int]]:
    """A router: its process id and its port."""
    environ = {k: v for k, v in os.environ.items() if not k.startswith("FLEET_")} | {
        "FLEET_DETECT_LOCAL_OLLAMA": "false"
    }
    serve = [sys.executable, "manage.py", "serve", "--port", "0", "--data-dir", str(data)]
    pipes: Any = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(serve, cwd=ROOT, env=environ, text=True, **pipes) as process:
        assert process.stdout is not None
        yield process.pid, int(process.stdout.readline().rsplit(":", 1)[1])
        process.send_signal(signal.SIGTERM)


def add(data: Path, ports: list[int]) -> None:
    """Add these engines as nodes, over the control API, and wait until all are read."""
    server = json.loads((data / "server.json").read_text())
    headers = {"Authorization": f"Bearer {server['token']}", "Content-Type": "application/json"}
    for engine in ports:
        node = {"name": f"fake-{engine}", "url": f"http://127.0.0.1:{engine}", "parallel": 512}
        request = Request(f"{server['url']}/fleet/api/v1/nodes", json.dumps(node).encode(), headers)
        urlopen(request).close()
    time.sleep(SETTLE)


def measured(lg: Path, load: Load, engine: int, port: int, router: int) -> dict[str, dict[str, float]]:
    """One round of one load: direct, then through the router."""
    direct = run(lg, load, engine, None)
    ours = run(lg, load, port, router)
    return {"direct": direct, "ours": ours}


def run(lg: Path, load: Load, port: int, router: int | None) -> dict[str, Any]:
    """What the load generator says: requests, microseconds, seconds of the router's CPU."""
    command = [str(lg), "-p", str(port), "-u", load.path, "-c", str(load.connections)]
    command += ["-d", str(WINDOW), "-w", str(WARM_UP), "-b", load.body]
    command += ["-P", str(router)] if router else []
    said = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    assert not said["err"] and not said["non2xx"], f"{load.name}: {said['err']} errors, {said['non2xx']} refusals"
    return dict(said)


def idle_cost(pid: int) -> float:
    """Share of a core that the router takes with twenty nodes and no traffic."""
    time.sleep(3)
    before = cpu_seconds(pid)
    time.sleep(IDLE_WINDOW)
    return (cpu_seconds(pid) - before) / IDLE_WINDOW


def cpu_seconds(pid: int) -> float:
    """User and system time of a process so far."""
    import psutil

    times = psutil.Process(pid).cpu_times()
    return float(times.user + times.system)


def memory_mb(pid: int) -> float:
    """Resident memory after the load, in 10⁶ bytes."""
    import psutil

    return float(psutil.Process(pid).memory_info().rss) / 1e6


def report(what: str, loads: Sequence[Load], rounds: list[dict[str, Any]]) -> None:
    """The medians, as a table."""
    print(f"\n| {what} | CPU per request | added median | added p99 | added first byte | rate |")
    print("|---|---|---|---|---|---|")
    for load in loads:
        row = {key: statistics.median(figure(r[load.name], key) for r in rounds) for key in FIGURES}
        ideal = IDEAL_RATE.get(load.name)
        rate = f"{row['rps']:.0f}/s" + (f" ({100 * row['rps'] / ideal:.1f} % of the ideal)" if ideal else "")
        print(
            f"| {load.name} | {row['cpu']:.0f} µs | {row['p50'] / 1000:.2f} ms | {row['p99'] / 1000:.2f} ms "
            f"| {row['ttfb50'] / 1000:.2f} ms | {rate} |"
        )


FIGURES = ("cpu", "p50", "p99", "ttfb50", "rps")


def figure(pair: dict[str, dict[str, float]], key: str) -> float:
    """One figure of one round: CPU in µs a request, what the router adds in µs, or its rate."""
    ours, direct = pair["ours"], pair["direct"]
    if key == "cpu":
        return 1e6 * ours["cpu_s"] / max(1, ours["n"])
    return ours["rps"] if key == "rps" else ours[key] - direct[key]


if __name__ == "__main__":
    main()
