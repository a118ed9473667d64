"""Bodies that the schema shows; each is tried in a test on the code that takes it."""

from typing import Any

DETAIL: dict[str, Any] = {"type": "object", "properties": {"detail": {"type": "string"}}, "required": ["detail"]}

NODE = {"name": "studio", "url": "http://192.168.1.20:11434", "memory_gb": 96, "bandwidth_gbps": 800}
KEY = {"name": "laptop", "models": ["qwen2.5:7b"], "rpm": 60, "expires": "30d"}
ALIAS = {"name": "claude-sonnet-4-5", "target": "qwen3-coder:30b", "fallbacks": ["qwen2.5:7b"]}
CHANGE = {"FLEET_SCORE_MODEL_HOT": 60, "FLEET_MAX_QUEUE": None, "note": "prefer what is loaded"}
CHANGE_FORM: dict[str, Any] = {
    "type": "object",
    "properties": {"note": {"type": "string", "maxLength": 255, "description": "Why."}},
    "additionalProperties": {
        "type": ["number", "boolean", "string", "null"],
        "description": "A parameter by its name in the environment; null reverts it.",
    },
}

CASE = {
    "now": 1700000000.0,
    "request": {"models": ["qwen2.5:7b"], "estimated_tokens": 500},
    "nodes": [
        {
            "id": "mini",
            "memory": {"total_gb": 32, "available_gb": 20},
            "bandwidth_gbps": 100,
            "resident": [{"name": "qwen2.5:7b", "size_gb": 6.0, "context": 4096}],
            "on_disk": [{"name": "qwen2.5:7b", "size_gb": 4.7}],
        },
        {"id": "studio", "paused": True, "on_disk": [{"name": "qwen2.5:7b", "size_gb": 4.7}]},
    ],
}
EXPLANATION = {
    "outcome": "route",
    "model": "qwen2.5:7b",
    "node": "mini",
    "ranking": [
        {
            "model": "qwen2.5:7b",
            "node": "mini",
            "score": 98.5,
            "signals": {
                "model_warmth": 50.0,
                "memory_fit": 20.0,
                "queue_depth": 0.0,
                "wait_time": 0.0,
                "role_affinity": 13.5,
                "availability_trend": 0.0,
                "context_fit": 15.0,
                "session_affinity": 0.0,
            },
        }
    ],
    "eliminated": [{"model": "qwen2.5:7b", "node": "studio", "reason": "paused"}],
}

HEARTBEAT = {
    "schema": 1,
    "node": "studio",
    "boot": "5f2c9e1a",
    "sequence": 42,
    "bandwidth_gbps": 800,
    "memory": {"total_bytes": 206158430208, "available_bytes": 100000000000, "pressure": "normal"},
    "cpu": {"percent": 31.0},
    "engine": {
        "flavour": "ollama",
        "version": "0.32.2",
        "resident": [{"name": "qwen2.5:7b", "size_bytes": 6000000000, "context": 4096, "expires_at": 1700000300}],
        "on_disk": [{"name": "qwen2.5:7b", "size_bytes": 4700000000, "capabilities": ["completion", "tools"]}],
    },
}
