# serve · demo · test · check · docs. Needs Python 3.11 or newer with venv, and make; nothing else.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
ARGS ?=
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check
NOT_INSTALLED := echo "pip could not install this; its words are above. No network, or a mirror? Set PIP_INDEX_URL; then run make again." >&2

.PHONY: serve demo test check docs bench-overhead clean
.DEFAULT_GOAL := serve

$(VENV)/python:
	@command -v $(PYTHON) >/dev/null || { echo "Python 3.11 or newer is missing. Debian: apt-get install python3-venv · macOS: brew install python" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "$$($(PYTHON) --version) is too old: fleetsite needs 3.11 or newer. Try: make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "Python's venv module is missing. Debian: apt-get install python3-venv" >&2; exit 1; }
	@test -x $(BIN)/pip || $(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/runtime: requirements.txt | $(VENV)/python
	@echo "installing what fleetsite needs (a minute, once) …" >&2
	@$(INSTALL) -r requirements.txt || { $(NOT_INSTALLED); exit 1; }
	@touch $@

$(VENV)/dev: requirements.txt requirements-dev.txt requirements-engine.txt | $(VENV)/runtime
	@echo "installing what the tests need (a minute or two, once) …" >&2
	@$(INSTALL) -r requirements-dev.txt || { $(NOT_INSTALLED); exit 1; }
	@$(INSTALL) --no-deps --only-binary :all: -r requirements-engine.txt \
	  || echo "no wheel of the tiny real engine for this machine: its tests will be skipped, loudly" >&2
	@touch $@

serve: $(VENV)/runtime   ## fresh machine → running router
	@exec $(BIN)/python manage.py serve $(ARGS)

demo: $(VENV)/runtime    ## fresh machine → a simulated fleet with traffic, gone when it ends
	@exec $(BIN)/python manage.py demo $(ARGS)

test: $(VENV)/dev        ## all tests
	@$(BIN)/python -m pytest -n 2 --dist loadfile $(ARGS)

check: $(VENV)/dev       ## format, lint, types, imports, Django's checks, migrations, generated documents
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@PYTHONPATH=. $(BIN)/lint-imports --no-logo
	@FLEET_DATA_DIR=$(VENV) $(BIN)/python manage.py check --fail-level WARNING
	@FLEET_DATA_DIR=$(VENV) $(BIN)/python manage.py makemigrations --check --dry-run
	@$(BIN)/python manage.py document --check

docs: $(VENV)/dev        ## write the generated documents
	@$(BIN)/python manage.py document

bench-overhead: $(VENV)/runtime   ## what the router costs, beside the engine alone
	@$(BIN)/python bench/overhead/run.py

clean:
	rm -rf $(VENV)
