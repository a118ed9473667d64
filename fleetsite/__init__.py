"""The roof: settings, ASGI, commands, the control API, dashboards."""

VERSION = "0.1.dev0"
