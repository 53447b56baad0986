# make demo: see water.   make test: everything that must hold.   Both set up what they need.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/ready

.PHONY: demo test test-all check bench gallery format clean

demo: $(READY)
	$(BIN)/koski run river-dam --picture out/river-dam.png
	@echo "Open out/river-dam.png; 'make bench' times the solvers; '$(BIN)/koski scenes' lists more to see."

test: check
	$(BIN)/python -m pytest -n 2

test-all: check
	$(BIN)/python -m pytest -n 2 -m ""

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(READY)
	$(BIN)/koski bench --peers

gallery: $(READY)
	$(BIN)/python docs/gallery.py

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "koski needs Python 3.11 or newer: run 'make PYTHON=/path/to/python3.11 $(MAKECMDGOALS)'"; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $(READY)

clean:
	rm -rf .venv out
