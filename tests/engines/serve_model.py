"""One llama.cpp server as a process: `python serve_model.py PORT MODEL.gguf NAME`; ends on SIGTERM."""

import signal
import sys

import xllamacpp

SLOTS, CONTEXT = 2, 4096  # the slots share the context


def parameters(port: int, model: str, name: str) -> xllamacpp.CommonParams:
    """One thread: two would spin against each other, and against everything else on a small machine."""
    params = xllamacpp.CommonParams()
    params.model.path, params.model_alias = model, {name}
    params.hostnames, params.port = ["127.0.0.1"], port
    params.n_parallel, params.n_ctx = SLOTS, CONTEXT
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.endpoint_slots = True
    params.embedding, params.pooling_type = True, xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
    return params


if __name__ == "__main__":
    server = xllamacpp.Server(parameters(int(sys.argv[1]), sys.argv[2], sys.argv[3]))
    signal.sigwait({signal.SIGTERM, signal.SIGINT})
