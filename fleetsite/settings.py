"""Django's settings. What an operator tunes is a parameter (docs/parameters.md), not a setting."""

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from fleetsite.database import database, file_of
from fleetsite.datadir import data_dir, secret_key
from fleetsite.logs import LOGGING as LOGGING
from fleetsite.openapi.settings import SPECTACULAR
from fleetsite.skin import UNFOLD as UNFOLD

BASE_DIR = Path(__file__).resolve().parent.parent
DATA_DIR = data_dir()
SECRET_KEY = secret_key(DATA_DIR)
DEBUG = False
ALLOWED_HOSTS = ["*"]  # fleetsite.hosts.host_check decides: it knows networks and follows FLEET_ALLOWED_HOSTS

# `runserver` speaks WebSocket by daphne; a server that serves saves the 20 MB (docs/decisions/0002).
DEVELOPMENT = ["daphne"] if sys.argv[1:2] == ["runserver"] else []
INSTALLED_APPS = [
    *DEVELOPMENT,
    "unfold",  # before the admin, whose templates it replaces
    "unfold.contrib.filters",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "channels",
    "nodes",
    "routing",
    "fleetsite",
]
MIDDLEWARE = [
    "fleetsite.hosts.host_check",
    "django.middleware.security.SecurityMiddleware",
    "servestatic.middleware.ServeStaticMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
ROOT_URLCONF = "fleetsite.urls"
ASGI_APPLICATION = "fleetsite.asgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]

# Measured: with WAL and IMMEDIATE no writer ever met "database is locked"; a transaction that begins as a reader and
# then writes fails at once, whatever its timeout. For the same reason never ATOMIC_REQUESTS: each GET would lock.
PRAGMAS = {"journal_mode": "WAL", "synchronous": "NORMAL", "mmap_size": 134217728, "cache_size": 2000}
PRAGMAS |= {"journal_size_limit": 27103364}
SQLITE: dict[str, Any] = {
    "OPTIONS": {
        "transaction_mode": "IMMEDIATE",
        "timeout": 5,
        "init_command": " ".join(f"PRAGMA {name}={value};" for name, value in PRAGMAS.items()),
    },
    "CONN_MAX_AGE": None,
    "TEST": {"NAME": str(Path(tempfile.gettempdir()) / f"fleetsite-tests-{os.getpid()}.sqlite3")},
}
DATABASE = database(DATA_DIR)
DATABASES = {"default": DATABASE | (SQLITE if file_of(DATABASE) else {})}

CHANNEL_LAYERS = {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "admin:login"

REST_FRAMEWORK = {
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["nodes.lib.json_body.JsonBody"],
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "nodes.lib.auth.ControlTokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["nodes.lib.auth.ReadFromLoopback"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
}

SPECTACULAR_SETTINGS = SPECTACULAR

LANGUAGE_CODE = "en"
FORMAT_MODULE_PATH = ["fleetsite.formats"]
USE_TZ = True
TIME_ZONE = "UTC"

STATIC_URL = "/static/"
SERVESTATIC_USE_FINDERS = True  # straight from the packages: nothing to collect
