# Needs python3 (3.11 or newer) with venv, and make. Everything else is installed under .venv, by hash.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-builtin-rules --no-print-directory

PYTHON ?= python3
HOST ?= 127.0.0.1
PORT ?= 8000
ARGS ?=

# OpenEnv's validator walks the tree and refuses symbolic links, except below a folder named .venv.
VENV := .venv
BIN := $(VENV)/bin
OPENENV := tests/openenv/.venv
OPENENV_RELEASES := 0.3 0.10
TRL := tests/clients/.venv

PIP := -m pip --disable-pip-version-check -qq
INSTALL := $(PIP) install --require-hashes --no-deps

# $(call stage,what it does,command): a title before, a plain word when it fails.
stage = @printf '\n== %s\n' '$(1)'; { $(2); } || { printf '\n*** FAILED: %s\n' '$(1)' >&2; exit 1; }

.PHONY: help
help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# --- environments ---------------------------------------------------------------------------------------------------

$(VENV)/.base: requirements.txt requirements-build.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Parlay needs Python 3.11 or newer; try make PYTHON=python3.11")'
	@echo 'Installing what the server needs ...'
	@[ -x $(BIN)/python ] || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python $(INSTALL) -r requirements.txt
	@$(BIN)/python $(INSTALL) -r requirements-build.txt
	@$(BIN)/python $(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.base requirements-dev.txt
	@echo 'Installing what the tests need ...'
	@$(BIN)/python $(INSTALL) -r requirements-dev.txt
	@touch $@

$(OPENENV)/%/.installed: tests/openenv/requirements-%.txt
	@echo 'Installing OpenEnv $* in an environment of its own ...'
	@rm -rf $(@D) && mkdir -p $(@D)
	@$(PYTHON) -m venv $(@D)
	@$(@D)/bin/python $(INSTALL) -r $<
	@touch $@

$(TRL)/.installed: tests/clients/requirements-trl.txt
	@echo 'Installing TRL in an environment of its own ...'
	@rm -rf $(@D) && mkdir -p $(@D)
	@$(PYTHON) -m venv $(@D)
	@$(@D)/bin/python $(PIP) install -r $<
	@touch $@

.PHONY: install install-dev
install: $(VENV)/.base ## Install what the server needs into .venv
install-dev: $(VENV)/.dev ## Install what the tests need, too

# --- running --------------------------------------------------------------------------------------------------------

.PHONY: serve bench
serve: $(VENV)/.base ## Start everything on http://127.0.0.1:8000 (HOST=, PORT=)
	@exec $(BIN)/parlay serve --host $(HOST) --port $(PORT)

bench: $(VENV)/.base ## Measure speed (ARGS= goes to `parlay bench`)
	@$(BIN)/parlay bench $(ARGS)

# --- checking -------------------------------------------------------------------------------------------------------

.PHONY: lint types arrows licences audit check format
lint: $(VENV)/.dev
	$(call stage,Lint,$(BIN)/ruff check . && $(BIN)/ruff format --check .)

types: $(VENV)/.dev
	$(call stage,Types,$(BIN)/basedpyright)

arrows: $(VENV)/.dev
	$(call stage,Import arrows,$(BIN)/lint-imports)

licences: $(VENV)/.dev
	$(call stage,Licences,$(BIN)/python scripts/licences.py)

audit: $(VENV)/.dev
	$(call stage,Known vulnerabilities,$(BIN)/python scripts/audit.py requirements.txt requirements-dev.txt)

check: lint types arrows licences audit ## Lint, types, import arrows, licences, known vulnerabilities

format: $(VENV)/.dev ## Put the code into its one format
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

# --- testing --------------------------------------------------------------------------------------------------------

.PHONY: test test-unit test-fast test-openenv test-trl wheel
test: ## Everything: lint, types, import arrows, licences, tests, OpenEnv conformance
	@$(MAKE) lint types arrows licences test-unit test-openenv

test-unit: $(VENV)/.dev ## The project's own tests
	$(call stage,Tests,$(BIN)/pytest --numprocesses auto --dist worksteal $(ARGS))

test-fast: $(VENV)/.dev ## The project's own tests but the slow ones
	$(call stage,Fast tests,$(BIN)/pytest -m 'not slow' --numprocesses auto --dist worksteal $(ARGS))

wheel: $(VENV)/.base
	@rm -rf dist && $(BIN)/python $(PIP) wheel --no-deps --no-build-isolation --wheel-dir dist .

test-openenv: wheel ## Both OpenEnv releases, each in its own environment, against our server
	@$(MAKE) --jobs 2 $(OPENENV_RELEASES:%=$(OPENENV)/%/.installed)
	@for release in $(OPENENV_RELEASES); do $(MAKE) test-openenv-$$release; done

test-openenv-%: $(OPENENV)/%/.installed
	@$(OPENENV)/$*/bin/python $(PIP) install --no-deps --no-index --force-reinstall dist/*.whl
	$(call stage,OpenEnv $* licences,$(OPENENV)/$*/bin/python scripts/licences.py)
	$(call stage,OpenEnv $* conformance,$(OPENENV)/$*/bin/pytest -c tests/openenv/pytest.ini tests/openenv $(ARGS))
	$(call stage,OpenEnv $*: one script for both clients,PARLAY_PYTHON=$(abspath $(BIN)/python) $(OPENENV)/$*/bin/pytest -c tests/openenv/pytest.ini --confcutdir tests/clients tests/clients/test_one_script.py)

test-trl: wheel $(TRL)/.installed ## TRL's own trainer, on our tools (installs PyTorch)
	@$(TRL)/bin/python $(PIP) install --no-deps --no-index --force-reinstall dist/*.whl
	$(call stage,TRL,PARLAY_PYTHON=$(abspath $(BIN)/python) $(TRL)/bin/pytest -c tests/openenv/pytest.ini --confcutdir tests/clients tests/clients/test_trl.py tests/clients/test_tools.py)

# --- housekeeping ---------------------------------------------------------------------------------------------------

.PHONY: lock clean
lock: ## Remake every lock from pyproject.toml (UPGRADE=1: to the newest versions)
	@PYTHON=$(PYTHON) scripts/lock

clean: ## Remove everything that was installed, built or cached here
	@rm -rf $(VENV) $(OPENENV) $(TRL) dist .hypothesis .import_linter_cache .pytest_cache .ruff_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
