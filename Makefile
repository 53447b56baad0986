# make demo: see water.   make play: put your hands in it.   make test: everything that must hold.
# All set up what they need.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/ready
WEB := src/koski/view/web
PAGE := src/koski/view/page/index.html
SUDO := $(if $(filter-out 0,$(shell id -u)),sudo)

.PHONY: demo play test test-all check browser bench gallery format clean

demo: $(READY) $(PAGE)
	$(BIN)/koski film river-dam -o out/river-dam.mp4 --sheet out/river-dam.png --size 960x540 --fps 20 --speed 6 --quality draft
	@echo "Open out/river-dam.mp4, or out/river-dam.png for its frames at a glance; more to see:"
	@echo "  $(BIN)/koski scenes     $(BIN)/koski film harbour -o out/harbour.mp4     make play     make gallery     make bench"

play: $(READY) $(PAGE)
	$(BIN)/koski play $(SCENE)

# The tests of the page share one browser and one world, and take both cores by themselves.
test: check browser
	$(BIN)/python -m pytest -n 2 --ignore tests/view/browser
	$(BIN)/python -m pytest tests/view/browser

test-all: check browser
	$(BIN)/python -m pytest -n 2 -m "" --ignore tests/view/browser
	$(BIN)/python -m pytest -m "" tests/view/browser

check: $(READY) $(PAGE)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

browser:
	@command -v chromium || command -v chromium-browser || command -v google-chrome || \
	  if command -v apt-get > /dev/null; then \
	    $(SUDO) apt-get update -qq && $(SUDO) apt-get install -y -qq --no-install-recommends chromium; \
	  else echo "The tests of the page need Chromium: install it with your package manager; without it they are skipped."; fi

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

$(PAGE): $(shell find $(WEB) -name node_modules -prune -o -type f -print) | $(READY)
	$(BIN)/python hatch_build.py

clean:
	rm -rf .venv out $(WEB)/node_modules $(dir $(PAGE))
