# All set-up happens in a virtual environment of its own; nothing is installed outside it
# but, where Debian splits it off and we are allowed to, the package python3-venv.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
ARGS ?=

.PHONY: sim test check clean

sim: $(VENV)/.sim
	$(BIN)/twentytwo sim $(ARGS)

test: $(VENV)/.dev
	$(BIN)/pytest $(ARGS)

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest $(ARGS)

$(BIN)/python:
	$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
	  echo "Python's venv module is missing. On Debian: sudo apt install python3-venv" >&2; exit 1; }

$(VENV)/.sim: pyproject.toml | $(BIN)/python
	$(BIN)/pip install --quiet --editable '.[sim]'
	touch $@

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	$(BIN)/pip install --quiet --editable '.[dev]'
	touch $@ $(VENV)/.sim

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
