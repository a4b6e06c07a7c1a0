# A machine with Python 3.10 or newer and make is enough: every target sets up what it needs.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Python compiles a module at its first import; most modules that pip installs are never imported
export PIP_COMPILE ?= 0
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
PEERS := build/peers
RERUN := build/rerun
NATIVE := build/native
WHEEL := build/wheel
RELEASE := build/release
NOTEBOOKS ?= force
DOCS := build/docs
FMU := build/fmu
STEPS ?= 100000
LAYERS ?= omp workqueue
# what a wheel might break: data files, plug-ins, the command, the way from messages to points
WHEEL_TESTS ?= tests/material_mapping tests/osi_lidar/sensors tests/osi_lidar/test_model.py
REV ?= HEAD
MINUTES ?= 30
SEED ?= 1
SAMPLE ?= 12
WORKERS ?= 2
# what tests/bounds.py says of tests that start processes or servers, or build FMUs, packages, pages and whole scenes
NOT_QUICK := tests/fmu tests/interop tests/lidar_app/batch tests/lidar_app/cli tests/lidar_app/conformance \
	tests/lidar_app/datasets tests/osi_lidar/live tests/osi_lidar/run tests/raycore/mesh/usd tests/scenarios \
	tests/test_benchmarks.py tests/test_docs.py tests/test_gallery.py tests/test_notebooks.py tests/test_packaging.py

.PHONY: help kernels demo near quick test test-all fuzz mutants lint check-wheel check-fmu release-check blender fmu-native format bench bench-peers \
	bench-memory bench-soak bench-step bench-fmu bench-stream docs clean

help:
	@echo "make demo        trace the bundled street scene; results in out/demo"
	@echo "make near        run the tests that import what changed since HEAD, in seconds; REV=main for more"
	@echo "make quick       run the tests but the long ones and those of processes, servers, FMUs and pages"
	@echo "make test        run the tests"
	@echo "make test-all    run the slow tests too, with the large packages they need"
	@echo "make fuzz        give all readers files that are nearly valid; MINUTES=30 SEED=1 WORKERS=2"
	@echo "make mutants     change code of a room, and see whether its tests notice; ROOM=raycore/pattern SAMPLE=12"
	@echo "make lint        check format, style, types, import layers, arguments of kernels and budgets"
	@echo "make kernels     compile what a wheel ships, for all levels of this kind of processor"
	@echo "make check-wheel build the wheel, install it without the sources, run demo and tests"
	@echo "make check-fmu   build the FMUs of the street scene, validate them, run them with its trace"
	@echo "make release-check  try a release in all but its upload, and list what was proved"
	@echo "make docs        build the site from docs/ into build/docs/html; warnings are errors"
	@echo "make blender     pack the extension for Blender into build/blender"
	@echo "make fmu-native  compile the FMU's library for all its platforms, with Zig from PyPI"
	@echo "make format      put the code into format"
	@echo "make bench       measure speed, write docs/evidence/performance.md (needs a C compiler)"
	@echo "make bench-peers the same rays with Open3D and trimesh, in an environment of their own"
	@echo "make bench-memory  memory over 100 000 steps; STEPS=2000 for fewer"
	@echo "make bench-soak  memory over 6000 steps beside busy cores; LAYERS=\"omp tbb\" for other layers"
	@echo "make bench-step  time a step beside a bare ray tracing loop (needs a C compiler)"
	@echo "make bench-fmu   time the FMU beside the model itself"
	@echo "make bench-stream time an answer over TCP beside the model itself"
	@echo "make clean       remove the environment, results and caches"

demo: $(VENV)/.run-ready
	$(BIN)/osi-lidar demo --out out/demo
	@echo "Open out/demo/view.html in a browser, or look at out/demo/preview.png; the point clouds are in out/demo/roof."

near: $(VENV)/.test-ready
	$(BIN)/python tools/near.py $(REV)

quick: $(VENV)/.test-ready
	$(BIN)/python -m pytest -q -n auto --dist worksteal -m "not slow and not long" $(addprefix --ignore=,$(NOT_QUICK))

test: $(VENV)/.test-ready
	$(BIN)/python -m pytest -q -n auto --dist worksteal -m "not slow"

# The page's test takes Debian's chromium (apt-get install chromium) or else Playwright's; without
# either it is skipped.
test-all: $(VENV)/.interop-ready $(RERUN)/.ready
	@command -v chromium chromium-browser google-chrome > /dev/null || \
		$(BIN)/playwright install chromium || echo "no Chromium: the page is not tried in a browser"
	$(BIN)/python -m pytest -q -n auto --dist worksteal
	$(RERUN)/bin/python -m pytest -q tests/lidar_app/exports/test_rerun.py tests/lidar_app/exports/test_mcap_of_poor_runs.py

# findings in out/fuzz, one folder each
fuzz: $(VENV)/.test-ready
	$(BIN)/python -m tests.fuzz --minutes $(MINUTES) --seed $(SEED) --workers $(WORKERS)

# a room is a folder or a file: ROOM=raycore/pattern
mutants: $(VENV)/.mutants-ready
	$(BIN)/python tools/mutants.py $(ROOM) --sample $(SAMPLE) --seed $(SEED)

lint: $(VENV)/.lint-ready
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/mypy integrations/blender/*.py
	$(BIN)/lint-imports
	$(BIN)/python tools/check_kernels.py
	$(BIN)/python tools/check_budgets.py
	$(BIN)/python tools/check_rooms.py
	$(BIN)/python tools/check_prose.py
	$(BIN)/python tools/inventory.py

# The folder of the tests has no packages in it, so that what they import is the wheel, with the
# dependencies that it declares and no extra. pytest -qq: its last line belongs to make test.
check-wheel:
	rm -rf $(WHEEL)
	$(PYTHON) -m venv $(WHEEL)/venv
	$(WHEEL)/venv/bin/python -m pip --disable-pip-version-check --quiet install --upgrade "pip>=25.1"
	$(WHEEL)/venv/bin/python -m pip --quiet wheel --no-deps --wheel-dir $(WHEEL)/dist .
	$(WHEEL)/venv/bin/python -m pip --quiet install $(WHEEL)/dist/*.whl --group pytest
	mkdir $(WHEEL)/elsewhere
	cp -R docs examples pyproject.toml scenarios tests *.md $(WHEEL)/elsewhere
	cd $(WHEEL)/elsewhere && ../venv/bin/osi-lidar demo --out demo
	cd $(WHEEL)/elsewhere && ../venv/bin/osi-lidar fmu build --fmi both --out fmu
	cd $(WHEEL)/elsewhere && ../venv/bin/python -m pytest -qq -n auto -m "not slow" $(WHEEL_TESTS)
	@echo "The wheel passes: $$(echo $(WHEEL)/dist/*.whl)"

# A wheel that is built afterwards carries them; this clone uses them, too, until its kernels change.
kernels: $(VENV)/.run-ready
	$(BIN)/python tools/build_kernels.py

check-fmu: $(VENV)/.test-ready
	rm -rf $(FMU)
	$(BIN)/python build_fmu.py --fmi both --config scenarios/street/config.yaml --out $(FMU)
	$(BIN)/fmpy validate $(FMU)/OsiLidar.fmu
	$(BIN)/fmpy validate $(FMU)/OsiLidar.fmi3.fmu
	$(BIN)/osi-lidar fmu run $(FMU)/OsiLidar.fmu scenarios/street/*.osi --out $(FMU)/run
	$(BIN)/osi-lidar fmu run $(FMU)/OsiLidar.fmi3.fmu scenarios/street/*.osi --out $(FMU)/run3
	cmp $(FMU)/run/*.osi $(FMU)/run3/*.osi

# A dry run in a clone of the last commit: what it builds is in build/release, and nothing is uploaded.
release-check:
	rm -rf $(RELEASE)
	$(PYTHON) -m venv $(RELEASE)/tools
	$(RELEASE)/tools/bin/python -m pip --disable-pip-version-check --quiet install --upgrade "pip>=25.1"
	$(RELEASE)/tools/bin/python -m pip --disable-pip-version-check --quiet install --group release
	$(RELEASE)/tools/bin/python tools/release_check.py $(RELEASE)

# 0.4 s of the street are what the gallery shows in the viewer
docs: $(VENV)/.docs-ready
	rm -rf $(DOCS) docs/scripts
	mkdir -p $(DOCS)/static
	$(BIN)/osi-lidar replay scenarios/street/*.osi --config scenarios/street/config.yaml --frames 0:12 --out $(DOCS)/street
	$(BIN)/osi-lidar view $(DOCS)/street --no-open --out $(DOCS)/static/street.html
	$(BIN)/python -m sphinx -q -W --keep-going -D nb_execution_mode=$(NOTEBOOKS) -b html docs $(DOCS)/html
	@echo "The site: $(DOCS)/html/index.html"

blender: $(VENV)/.lint-ready
	$(BIN)/python tools/build_blender.py build/blender

fmu-native: $(NATIVE)/.ready
	$(NATIVE)/bin/python tools/build_native.py

format: $(VENV)/.lint-ready
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(VENV)/.run-ready
	$(BIN)/python benchmarks/bench.py

bench-peers: $(PEERS)/.ready
	$(PEERS)/bin/python benchmarks/bench.py peers

bench-memory: $(VENV)/.run-ready
	$(BIN)/python benchmarks/bench.py memory --steps $(STEPS)

bench-soak: $(VENV)/.run-ready
	for layer in $(LAYERS); do $(BIN)/python benchmarks/soak.py --layer $$layer || exit 1; done

bench-step: $(VENV)/.run-ready
	$(BIN)/python benchmarks/step.py

bench-fmu: $(VENV)/.test-ready
	$(BIN)/python benchmarks/fmu.py

bench-stream: $(VENV)/.run-ready
	$(BIN)/python benchmarks/stream.py

clean:
	rm -rf $(VENV) docs/scripts lidar_base/shipped_kernels out build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# A stamp file says that the environment holds what pyproject.toml asks for.

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 10) or sys.exit("osi-lidar needs Python 3.10 or newer, " + sys.executable + " is older; try make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --upgrade "pip>=25.1"
	@touch $@

$(VENV)/.run-ready: pyproject.toml | $(VENV)/.made
	$(PIP) install --editable '.[plot]'
	$(BIN)/osi-lidar cache --compile --fidelity ideal --quiet
	@touch $@

# with osi-lidar itself in each line, so that pip finds versions that go together
# and first, so that kernels compile while pip waits for the other packages
$(VENV)/.test-ready: pyproject.toml | $(VENV)/.made
	$(PIP) install --editable .
	$(BIN)/osi-lidar cache --compile --quiet & $(PIP) install --editable . --group test; \
		status=$$?; wait $$! && exit $$status
	@touch $@ $(VENV)/.run-ready

$(VENV)/.lint-ready: pyproject.toml | $(VENV)/.made
	$(PIP) install --editable . --group lint
	@touch $@ $(VENV)/.run-ready

$(VENV)/.mutants-ready: pyproject.toml | $(VENV)/.made
	$(PIP) install --editable . --group test --group mutants
	@touch $@ $(VENV)/.run-ready $(VENV)/.test-ready

$(VENV)/.docs-ready: pyproject.toml | $(VENV)/.made
	$(PIP) install --editable . --group docs
	@touch $@ $(VENV)/.run-ready

$(PEERS)/.ready: pyproject.toml
	$(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip --quiet --disable-pip-version-check install --upgrade "pip>=25.1"
	$(PEERS)/bin/python -m pip --quiet --disable-pip-version-check install --editable . --group peers
	@touch $@

$(RERUN)/.ready: pyproject.toml
	$(PYTHON) -m venv $(RERUN)
	$(RERUN)/bin/python -m pip --quiet --disable-pip-version-check install --upgrade "pip>=25.1"
	$(RERUN)/bin/python -m pip --quiet --disable-pip-version-check install --editable . --group rerun
	@touch $@

$(NATIVE)/.ready: pyproject.toml
	$(PYTHON) -m venv $(NATIVE)
	$(NATIVE)/bin/python -m pip --quiet --disable-pip-version-check install --upgrade "pip>=25.1"
	$(NATIVE)/bin/python -m pip --quiet --disable-pip-version-check install --group native
	@touch $@

$(VENV)/.interop-ready: pyproject.toml | $(VENV)/.made
	$(PIP) install --editable . --group interop
	@touch $@ $(VENV)/.run-ready $(VENV)/.test-ready
