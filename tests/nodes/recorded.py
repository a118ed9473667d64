"""What real engines answered, as recorded; LM Studio's and vLLM's in their documented form."""

from typing import Any

MINILM_DIGEST = "1f81bb2bed4e67848bb94e8ac29b15b922e8d886019c26b4cc5f888220773979"
SMOL_DIGEST = "eb51d722630ba2cd533ee0468c6b9437b3df7de1533494e74e9f762172e66a6c"
BERT = {
    "parent_model": "",
    "format": "gguf",
    "family": "bert",
    "families": ["bert"],
    "parameter_size": "22.57M",
    "quantization_level": "F16",
}
LLAMA = BERT | {"family": "llama", "families": ["llama"], "parameter_size": "134.52M", "quantization_level": "Q4_1"}

OLLAMA_VERSION = {"version": "0.32.2"}
OLLAMA_TAGS: dict[str, Any] = {
    "models": [
        {
            "name": "all-minilm:latest",
            "model": "all-minilm:latest",
            "modified_at": "2026-11-30T19:43:30.389735861Z",
            "size": 45949478,
            "digest": MINILM_DIGEST,
            "details": BERT,
            "capabilities": ["completion"],
        },
        {
            "name": "smollm2:135m",
            "model": "smollm2:135m",
            "modified_at": "2026-11-30T19:43:27.705738367Z",
            "size": 98363022,
            "digest": SMOL_DIGEST,
            "details": LLAMA | {"context_length": 8192, "embedding_length": 576},
            "capabilities": ["completion"],
        },
    ]
}
OLLAMA_PS: dict[str, Any] = {
    "models": [
        {
            "name": "smollm2:135m",
            "model": "smollm2:135m",
            "size": 0,
            "digest": SMOL_DIGEST,
            "details": LLAMA,
            "expires_at": "2026-11-30T19:49:54.629476938Z",
            "size_vram": 0,
            "context_length": 2048,
        }
    ]
}
CLOUD_STUB = {
    "name": "gpt-oss:120b-cloud",
    "model": "gpt-oss:120b-cloud",
    "remote_model": "gpt-oss:120b",
    "remote_host": "https://ollama.com:443",
    "size": 384,
    "digest": "abc",
}


def show(asked: dict[str, Any]) -> Any:
    """What /api/show says of the two models."""
    known = {"all-minilm:latest": ["embedding"], "smollm2:135m": ["completion"]}
    if asked["model"] not in known:
        return 404, {"error": f"model '{asked['model']}' not found"}
    return {"details": {}, "model_info": {}, "capabilities": known[asked["model"]]}


OLLAMA: dict[str, Any] = {
    "/api/version": OLLAMA_VERSION,
    "/api/tags": OLLAMA_TAGS,
    "/api/ps": OLLAMA_PS,
    "/api/show": show,
}

LLAMA_CPP_MODELS: dict[str, Any] = {
    "models": [{"name": "smollm2", "model": "smollm2", "size": "", "digest": "", "capabilities": ["completion"]}],
    "object": "list",
    "data": [
        {
            "id": "smollm2",
            "aliases": ["smollm2"],
            "tags": [],
            "object": "model",
            "created": 1796068424,
            "owned_by": "llamacpp",
            "meta": {
                "vocab_type": 2,
                "n_vocab": 49152,
                "n_ctx": 2048,
                "n_ctx_train": 8192,
                "n_embd": 576,
                "n_params": 134515008,
                "size": 96576768,
                "ftype": "Q4_1",
            },
        }
    ],
}
LLAMA_CPP_PROPS = {
    "default_generation_settings": {"n_ctx": 2048},
    "total_slots": 2,
    "model_path": "smollm2.gguf",
    "modalities": {"vision": False, "audio": False},
    "build_info": "b1-571d0d5",
    "is_sleeping": False,
}
LLAMA_CPP: dict[str, Any] = {"/v1/models": LLAMA_CPP_MODELS, "/props": LLAMA_CPP_PROPS}
LLAMA_CPP_LOADING = (503, {"error": {"message": "Loading model", "type": "unavailable_error", "code": 503}})

# xllamacpp's server names the modalities in its listing.
XLLAMACPP_MODELS = {
    "object": "list",
    "data": [LLAMA_CPP_MODELS["data"][0] | {"architecture": {"input_modalities": ["text"]}}],
}
XLLAMACPP: dict[str, Any] = {
    "/v1/models": XLLAMACPP_MODELS,
    "/props": LLAMA_CPP_PROPS | {"build_info": "b0-unknown"},
}

LLAMA_CPP_PYTHON: dict[str, Any] = {
    "/v1/models": {
        "object": "list",
        "data": [{"id": "smollm2", "object": "model", "owned_by": "me", "permissions": []}],
    }
}

VLLM: dict[str, Any] = {
    "/v1/models": {
        "object": "list",
        "data": [
            {
                "id": "Qwen/Qwen2.5-7B-Instruct",
                "object": "model",
                "created": 1796068424,
                "owned_by": "vllm",
                "root": "Qwen/Qwen2.5-7B-Instruct",
                "parent": None,
                "max_model_len": 32768,
            }
        ],
    },
    "/version": {"version": "0.11.0"},
}

LM_STUDIO: dict[str, Any] = {
    "/v1/models": {
        "object": "list",
        "data": [
            {"id": name, "object": "model", "owned_by": "organization_owner"}
            for name in ("qwen2.5-7b-instruct", "qwen2-vl-7b-instruct", "text-embedding-nomic-embed-text-v1.5")
        ],
    },
    "/api/v0/models": {
        "object": "list",
        "data": [
            {
                "id": "qwen2.5-7b-instruct",
                "type": "llm",
                "state": "loaded",
                "max_context_length": 32768,
                "loaded_context_length": 4096,
            },
            {"id": "qwen2-vl-7b-instruct", "type": "vlm", "state": "not-loaded", "max_context_length": 32768},
            {
                "id": "text-embedding-nomic-embed-text-v1.5",
                "type": "embeddings",
                "state": "not-loaded",
                "max_context_length": 2048,
            },
        ],
    },
}

HEARTBEAT: dict[str, Any] = {
    "schema": 1,
    "node": "studio",
    "boot": "b1",
    "sequence": 412,
    "draining": False,
    "utc_offset": 7200,
    "bandwidth_gbps": 400,
    "memory": {"total_bytes": 64 * 2**30, "available_bytes": 40_000_000_000, "pressure": "warn"},
    "cpu": {"percent": 7.5},
    "engine": {
        "flavour": "ollama",
        "version": "0.32.2",
        "parallel": 4,
        "resident": [
            {
                "name": "qwen2.5:7b",
                "size_bytes": 6_000_000_000,
                "context": 8192,
                "idle": False,
                "pinned": True,
                "expires_at": 1_796_068_300,
            }
        ],
        "on_disk": [
            {
                "name": "Qwen2.5:7b",
                "size_bytes": 4_700_000_000,
                "digest": "sha256:ab",
                "capabilities": ["completion", "tools"],
                "modified_at": 1_795_981_600,
                "details": {"family": "qwen2"},
            }
        ],
    },
    "capacity": {"learning": True, "observed_days": 21, "availability": 0.9, "ceiling_gb": 51.2},
}
