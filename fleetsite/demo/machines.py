"""The machines of the demonstration: four of different size, and as many more of the same."""

from collections.abc import Mapping
from dataclasses import dataclass

from nodes.simulated import Machine

KEEP_ALIVE = 25.0  # seconds; short, so that models come and go while somebody looks
LOAD_GBPS = 6.0

# On disk, 10⁹ bytes.
SIZES: Mapping[str, float] = {
    "llama3.3:70b": 42.5,
    "qwen3-coder:30b": 18.6,
    "gemma3:27b": 17.4,
    "qwen2.5:7b": 4.7,
    "gemma3:4b": 3.3,
    "phi4:14b": 9.1,  # the traffic leaves it alone: it is there to be asked
    "nomic-embed-text": 0.3,
    "deepseek-r1:671b": 404.0,  # larger than any of the machines
}


@dataclass(frozen=True, slots=True)
class DemoMachine:
    """One machine: what it is called, what it is, how it is simulated, what is on its disk."""

    name: str
    chip: str
    bandwidth_gbps: float
    machine: Machine
    models: tuple[str, ...]

    @property
    def listed(self) -> str:
        """The models in the form in which a simulated node takes them."""
        return ",".join(f"{model}={SIZES[model]}" for model in self.models)


def machines(count: int) -> tuple[DemoMachine, ...]:
    """So many machines; from the fifth on they are called `studio-2`, `laptop-2` …"""
    return tuple(_numbered(MACHINES[i % len(MACHINES)], i // len(MACHINES) + 1) for i in range(count))


def _numbered(one: DemoMachine, number: int) -> DemoMachine:
    name = one.name if number == 1 else f"{one.name}-{number}"
    return DemoMachine(name, one.chip, one.bandwidth_gbps, one.machine, one.models)


def _machine(memory_gb: float, parallel: int, tokens_per_second: float, version: str) -> Machine:
    return Machine(
        version=version,
        memory_gb=memory_gb,
        parallel=parallel,
        tokens_per_second=tokens_per_second,
        prefill_per_second=20 * tokens_per_second,
        load_gbps=LOAD_GBPS,
        keep_alive=KEEP_ALIVE,
        max_loaded=6,
        answer_tokens=80,
    )


LARGE = ("llama3.3:70b", "qwen3-coder:30b", "gemma3:27b", "qwen2.5:7b", "phi4:14b")
MACHINES = (
    DemoMachine("studio", "M3 Ultra", 800, _machine(192, 4, 40, "0.40.9"), (*LARGE, "deepseek-r1:671b")),
    DemoMachine("laptop", "M4 Max", 546, _machine(128, 2, 30, "0.40.9"), LARGE),
    DemoMachine(
        "tower", "RTX 4090", 1008, _machine(64, 4, 50, "0.33.0"), ("qwen3-coder:30b", "gemma3:27b", "nomic-embed-text")
    ),
    DemoMachine("mini", "M4", 120, _machine(32, 2, 20, "0.40.9"), ("qwen2.5:7b", "gemma3:4b", "nomic-embed-text")),
)
