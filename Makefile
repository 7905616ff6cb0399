# `make` alone lists the targets. `make demo` and `make test` need only make and Python 3.11 or newer.
#   make test ARGS="tests/core -k answer"      a part of the tests
#   make test PYTHON=python3.12                another interpreter, for a .venv not made yet

PYTHON ?= python3
ARGS ?=
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PIP := $(BIN)/python -m pip -qq --disable-pip-version-check
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.PHONY: help demo base test check check-pool golden gallery bench

help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(READY) ## set up, then the whole loop: measure, select, train, judge, report
	$(BIN)/palaestra demo --out demo

base: $(READY) ## make the base that comes with the package anew: three hours of one core; it goes on where it stopped
	$(BIN)/palaestra pretrain configs/tiny_base.toml --out runs/tiny_base
	cp runs/tiny_base/checkpoints/base/state.* src/palaestra/training/embedded/tiny/
	$(BIN)/palaestra evaluate --policy tiny --card src/palaestra/training/embedded/tiny/CARD.md

test: $(READY) ## set up, then run the tests: two workers, no network, no GPU
	@$(BIN)/pytest -n 2 --dist loadgroup -m "not slow and not gpu and not browser" $(ARGS)

check: $(READY) ## lint, format, types, floors
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

check-pool: $(READY) ## the long sweep over every environment, and the slow tests
	$(BIN)/palaestra check --thorough --workers 2
	@$(BIN)/pytest -n 2 -m slow || { status=$$?; test $$status -eq 5 && echo "No test is marked slow."; }

golden: $(READY) ## draw the golden pictures anew; look at the difference before committing it
	$(BIN)/pytest tests/envs/test_golden.py --write-golden

gallery: $(READY) ## make the pages on every environment anew
	$(BIN)/palaestra gallery --out docs/environments

bench: $(READY) ## how fast this machine resets, steps and draws environments, selects, and trains
	$(BIN)/palaestra bench envs
	$(BIN)/palaestra bench select
	$(BIN)/palaestra bench train

# Made again whenever the pins or the package's metadata change.
$(READY): requirements.txt pyproject.toml
	@command -v $(PYTHON) >/dev/null || { \
	  echo "Palaestra needs Python 3.11 or newer, and '$(PYTHON)' was not found. Try: make PYTHON=/path/to/python3.11" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Palaestra needs Python 3.11 or newer; '$(PYTHON)' is $$($(PYTHON) -V 2>&1). Try: make PYTHON=/path/to/python3.11" >&2; exit 1; }
	@test -x $(BIN)/pip || { echo "Making $(VENV)"; $(PYTHON) -m venv $(VENV); }
	@echo "Installing the pinned requirements into $(VENV) (a minute or two the first time)"
	@$(PIP) install -r requirements.txt
	@$(PIP) install --no-build-isolation --no-deps --editable .
	@touch $@
