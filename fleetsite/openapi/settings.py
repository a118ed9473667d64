"""How drf-spectacular makes our schema; the modules that it names are loaded when somebody asks for one."""

from typing import Any

DESCRIPTION = """\
Everything this router answers, in one place.

**Control**: nodes, queues, decisions, parameters, keys. Reads are open to the router's own machine; from elsewhere, and
for writes, sign in at `/admin/` or send the control token of `server.json` as a Bearer token. Lists are
`{"results": […], "next": URL or null}`; times are ISO 8601 in UTC; unknown filters and fields are refused (400).

**Ollama** and **OpenAI**: the engines' own dialects, at the root. From another machine they need an API key
(`manage.py key create NAME`). What is not listed here is passed through: unknown fields reach the engine untouched.
"""

SPECTACULAR: dict[str, Any] = {
    "TITLE": "fleetsite",
    "DESCRIPTION": DESCRIPTION,
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "TAGS": [
        {"name": "Control", "description": "See and steer the fleet."},
        {"name": "Agents", "description": "What agents beside the engines send."},
        {"name": "Ollama", "description": "Ollama's own API."},
        {"name": "OpenAI", "description": "OpenAI's chat completions, completions and embeddings."},
    ],
    "PREPROCESSING_HOOKS": ["fleetsite.openapi.hooks.described"],
    "POSTPROCESSING_HOOKS": ["fleetsite.openapi.hooks.completed"],
    "SCHEMA_PATH_PREFIX": "/fleet/api/v1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PERMISSIONS": ["nodes.lib.auth.ReadFromLoopback"],
    "SWAGGER_UI_DIST": "SIDECAR",  # from our own static files: no page of ours asks another server for anything
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "SWAGGER_UI_SETTINGS": {
        "deepLinking": True,
        "displayRequestDuration": True,
        "docExpansion": "list",
        "defaultModelsExpandDepth": 0,
        "tryItOutEnabled": True,
        "validatorUrl": None,  # else the page sends the schema's address to a validator on the internet
    },
    "ENABLE_DJANGO_DEPLOY_CHECK": False,
}
