# make demo: see water.   make test: everything that must hold.   Both set up what they need.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/ready

.PHONY: demo test test-all check bench gallery format clean

demo: $(READY)
	$(BIN)/koski film river-dam -o out/river-dam.mp4 --sheet out/river-dam.png --size 960x540 --fps 20 --speed 6 --quality draft
	@echo "Open out/river-dam.mp4, or out/river-dam.png for its frames at a glance; more to see:"
	@echo "  $(BIN)/koski scenes     $(BIN)/koski film harbour -o out/harbour.mp4     make gallery     make bench"

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
