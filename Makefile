# All set-up happens in a virtual environment of its own.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
ARGS ?=

.PHONY: sim test lint check test-kernel test-rp2040 install uninstall clean

sim: $(VENV)/.sim
	$(BIN)/twentytwo sim $(ARGS)

test: $(VENV)/.dev
	$(BIN)/pytest --numprocesses auto --dist loadfile $(ARGS)

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

check: lint test

test-kernel: $(VENV)/.dev
	tests/kernel/job.sh $(BIN)/python

test-rp2040: $(VENV)/.dev
	tests/rp2040/job.sh $(BIN)/python

# On a Raspberry Pi, with a service (docs/install.md). DESTDIR=FOLDER puts everything below that folder instead.
install:
	@PYTHON=$(PYTHON) DESTDIR=$(DESTDIR) install/install.sh

uninstall:
	@PURGE=$(PURGE) DESTDIR=$(DESTDIR) install/uninstall.sh

# Debian splits Python's venv module off; where we may, its package is installed.
$(BIN)/python:
	@$(PYTHON) -m venv $(VENV) >/dev/null 2>&1 || { \
	  rm -rf $(VENV); sudo=; [ "$$(id -u)" = 0 ] || sudo=sudo; \
	  echo "Python's venv module is missing: installing Debian's package python3-venv"; \
	  { $$sudo apt-get update -qq && $$sudo apt-get install -y -qq python3-venv && $(PYTHON) -m venv $(VENV); } || { \
	    echo "Install Python's venv module (Debian: apt install python3-venv), then run make again" >&2; exit 1; }; }

$(VENV)/.sim: pyproject.toml | $(BIN)/python
	@echo 'Setting up $(VENV): the first time takes about half a minute'
	@$(BIN)/pip install --quiet --editable '.[sim]'
	@touch $@

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	@echo 'Setting up $(VENV) for development: the first time takes about a minute'
	@$(BIN)/pip install --quiet --editable '.[dev]'
	@touch $@ $(VENV)/.sim

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
