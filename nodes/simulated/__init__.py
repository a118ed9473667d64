"""A node that answers as a recorded engine did: for the demo, the tests and the benchmarks.

`python -m nodes.simulated --help`; in a test: `node = SimulatedNode("qwen2.5:7b=4.7"); url = await node.start()`.
"""

from nodes.simulated.machine import Machine, ModelFile, model_files
from nodes.simulated.server import SimulatedNode

__all__ = ["Machine", "ModelFile", "SimulatedNode", "model_files"]
