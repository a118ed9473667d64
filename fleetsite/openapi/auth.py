"""How the schema names the ways to say who one is."""

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension

CONTROL_TOKEN, SESSION = "controlToken", "cookieAuth"
SCHEMES: dict[str, dict[str, str]] = {
    "apiKey": {"type": "http", "scheme": "bearer", "description": "A key of `manage.py key create`."},
    "apiKeyHeader": {"type": "apiKey", "in": "header", "name": "x-api-key", "description": "The same key."},
    "nodeCredential": {"type": "http", "scheme": "bearer", "description": "Of `manage.py node credential NAME`."},
}
KEYED: list[dict[str, list[str]]] = [{"apiKey": []}, {"apiKeyHeader": []}, {}]  # {}: open to this machine
AGENT: list[dict[str, list[str]]] = [{"nodeCredential": []}]


class ControlToken(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # it registers itself
    """The token of `server.json`."""

    target_class = "nodes.lib.auth.ControlTokenAuthentication"
    name = CONTROL_TOKEN

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        """The scheme as OpenAPI names it."""
        return {"type": "http", "scheme": "bearer", "description": "The token in `server.json` of the running server."}
