# Everything a fresh Linux machine with python3 (3.11 or newer), make and git needs.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
RUN    := $(VENV)/.run
STAMP  := $(VENV)/.installed
PYTEST := $(BIN)/python -m pytest -q -n auto --dist worksteal

# Tests start Cairn hundreds of times; without bytecode on disk every start compiles the whole package anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help reference install core wheels python-kernel install-engines install-minio engines install-scip scip install-browser page install-vscode vscode demo test slow rest test-all long hostile load \
	check format conformance man golden bench weights model elsewhere clean api

help: ## what can be made
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 24

# uv installs a lock in seconds where pip takes a minute, but it doesn't read pip's settings, such as a mirror: where
# uv fails, pip installs the same. Bytecode is left out here: a demonstration writes that of the modules it loads.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile
INSTALL = $(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps $(1) || $(PIP) --no-deps $(1)

install: ## set up .venv with Cairn and what its tests need, and its native core where cargo is
	@$(MAKE) --no-print-directory -j2 $(STAMP) core
	@$(PLACE_CORE)
	@$(BIN)/python -m compileall -q -j0 src/cairn

# Cairn gives the same answers without it, only later. It is built beside the installation of the packages.
CORE := build/native/release/libcairn_native.so
core:
	@if ! command -v cargo >/dev/null; then rm -f $(CORE); echo 'Cairn runs on its Python kernel: there is no cargo to build the native one'; \
	elif ! PYO3_BUILD_EXTENSION_MODULE=1 cargo build --quiet --locked --release --manifest-path native/Cargo.toml --target-dir build/native; then \
		rm -f $(CORE); echo 'Cairn runs on its Python kernel: the native one could not be built'; fi

PLACE_CORE = there=$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("platlib"))')/cairn_native.abi3.so; \
	if [ -e $(CORE) ]; then cp -u $(CORE) "$$there"; else rm -f "$$there"; fi

$(RUN): locks/uv.txt locks/run.txt
	$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Cairn needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)
	$(PIP) --require-hashes -r locks/uv.txt
	$(call INSTALL,--require-hashes -r locks/run.txt)
	@touch $@

# What Cairn needs is compiled, since a shell may forbid Python to write bytecode (PYTHONDONTWRITEBYTECODE, as images of
# containers set it): a search would then compile NumPy and the package each time, for three times as long.
$(STAMP): $(RUN) pyproject.toml locks/dev.txt
	@$(BIN)/python -m compileall -q -j0 -x '/(tests|pip|setuptools)/' \
		$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("platlib"))')
	$(call INSTALL,--require-hashes -r locks/dev.txt)
	$(call INSTALL,--no-build-isolation -e .)
	@touch $@

wheels: install man ## build the wheels of Cairn and of its native core (needs cargo), and try them in an empty environment
	rm -rf dist build/wheels
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist . ./native
	$(PYTHON) -m venv build/wheels
	build/wheels/bin/python -m pip install --quiet --disable-pip-version-check --find-links dist 'cairn-index[native]'
	test -s build/wheels/share/man/man1/cairn.1
	cd build/wheels && CAIRN_HOME=home CAIRN_KERNEL=native bin/cairn search "which kernel answers" $(CURDIR)/src/cairn/kernel --limit 1

ENGINES := $(VENV)/.engines
install-engines: $(ENGINES) ## set up LanceDB, Milvus Lite and an object store, so that tests run for every engine

$(ENGINES): $(STAMP)
	$(call INSTALL,--require-hashes -r locks/engines.txt)
	@touch $@

# An object store that teams run. It takes ten minutes of a processor, so nothing waits for it: the tests run where it is.
MINIO := build/minio
install-minio: ## build MinIO from its Go module, for the tests of the engines (needs go)
	GOBIN=$(CURDIR)/$(MINIO) go install -trimpath github.com/minio/minio@v0.0.0-20260212201848-7aac2a2c5b7c

SCIP := build/scip
install-scip: ## set up the SCIP indexers that the tests run for real (needs node and npm)
	mkdir -p $(SCIP)
	npm install --prefix $(SCIP) --no-fund --no-audit @sourcegraph/scip-python@0.6.6 @sourcegraph/scip-typescript@0.4.0

BROWSER := build/browser
install-browser: install ## set up what drives the web page in a real browser (needs Chromium, node and npm)
	$(call INSTALL,--require-hashes -r locks/browser.txt)
	mkdir -p $(BROWSER)
	npm install --prefix $(BROWSER) --no-fund --no-audit axe-core@4.14.0 typescript@5.9.3 prettier@3.10.1
	@command -v chromium chromium-browser google-chrome >/dev/null || echo 'There is no Chromium: apt-get install chromium'

# Only what Cairn itself needs is installed.
demo: ## index this repository and ask it something
	@$(MAKE) --no-print-directory -j2 $(RUN) core
	@$(PLACE_CORE)
	PYTHONPATH=src CAIRN_HOME=$(CURDIR)/build/demo $(BIN)/python -m cairn search "how are stale leases taken over" . --limit 3

test: install ## the first tier: the quick tests, and a passing test for every claimed requirement
	$(PYTEST) -m "not slow" --claims

slow: install ## the second tier: the tests that take long, but for those that `make long` runs in their long form
	$(PYTEST) -m "slow and not long"

# One line says what this machine has no tool for; a tool that is there and fails is a failure.
rest: slow python-kernel long engines ## all that `make test` leaves out: slow, long, engines, wheels, scip, page and vscode
	@if command -v cargo >/dev/null; then $(MAKE) wheels; else echo 'left out: make wheels needs cargo'; fi
	@if command -v npm >/dev/null && $(MAKE) install-scip; then $(MAKE) scip; \
	else echo 'left out: make scip needs npm and its registry'; fi
	@if command -v npm >/dev/null && { command -v chromium || command -v google-chrome; } >/dev/null \
		&& $(MAKE) install-browser; then $(MAKE) page; \
	else echo 'left out: make page needs npm, its registry and Chromium'; fi
	@if command -v npm >/dev/null && $(MAKE) install-vscode; then $(MAKE) vscode; \
	else echo 'left out: make vscode needs node, npm and its registry'; fi

test-all: test rest ## every test there is

engines: install-engines ## the tests of the vector engines, all of them installed: none may be skipped for want of one
	CAIRN_ENGINES=1 $(PYTEST) tests/engines tests/codebase/test_migration.py tests/team

python-kernel: install ## the tests of what the native core does, with the reference in its place
	CAIRN_KERNEL=python $(PYTEST) -m "not slow" tests/kernel tests/indexing tests/embed tests/syntax
	CAIRN_KERNEL=python $(PYTEST) tests/golden

LONG ?= 1
long: install ## the fuzzing, racing and damaging tests in their long form: LONG=10 for ten times as long
	CAIRN_LONG=$(LONG) $(PYTEST) -m long

KILLS ?= 500
DAMAGES ?= 300
REQUESTS ?= 100
CANCELS ?= 50
SEED ?=
hostile: install ## kills, damages and hostile requests at random, with tables: KILLS=500 DAMAGES=300 REQUESTS=100 CANCELS=50 SEED=
	CAIRN_KILLS=$(KILLS) CAIRN_DAMAGES=$(DAMAGES) CAIRN_REQUESTS=$(REQUESTS) CAIRN_CANCELS=$(CANCELS) CAIRN_SEED=$(SEED) \
		$(PYTEST) tests/hostile

load: install ## the daemon under load: 32 clients for 60 seconds, with the figures printed
	CAIRN_LOAD=1 $(BIN)/python -m pytest -q -s tests/surfaces/http/test_load.py

scip: install install-scip ## the tests that run the real SCIP indexers (needs node and npm)
	CAIRN_SCIP=1 $(BIN)/python -m pytest -q tests/edit/test_real.py tests/semantic/test_real_imports.py \
		tests/semantic/test_tools.py tests/semantic/test_docs_semantic.py

PAGE := src/cairn/surfaces/page
page: install-browser ## check the types of the web page, and drive it in a real browser (needs Chromium, node and npm)
	$(BROWSER)/node_modules/.bin/tsc --project $(PAGE)
	$(BROWSER)/node_modules/.bin/prettier --check --log-level warn "$(PAGE)/**/*.{js,css}"
	CAIRN_PAGE=1 $(PYTEST) tests/surfaces/page

install-vscode: ## set up what checks and packages the extension for VS Code (needs node and npm)
	npm ci --prefix editors/vscode --no-fund --no-audit

vscode: install install-vscode ## check, test and package the extension for VS Code, dist/cairn-VERSION.vsix
	cd editors/vscode && npm run check && npm run bundle && CAIRN=$(CURDIR)/$(BIN)/cairn npm test && npm run package

api: install ## hold the API of the daemon against its description (installs schemathesis)
	$(PIP) schemathesis
	$(BIN)/python -m pytest -q tests/surfaces/http/test_schema.py

check: install ## lint, format, types, and the conformance page
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -q --check-conformance

format: install ## mend what can be mended by itself
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

conformance: install ## make docs/conformance.md anew
	$(BIN)/python -m pytest -q --write-conformance

reference: install ## make docs/reference.md anew from the declarations of the questions
	$(BIN)/python -c "from cairn.questions.reference import reference; from cairn.questions.registry import QUESTIONS; print(reference(QUESTIONS), end='')" > docs/reference.md

man: install ## write the man page, build/man/cairn.1
	mkdir -p build/man
	$(BIN)/cairn help --man > build/man/cairn.1

golden: install ## record anew what the commands print, tests/golden/kept; the diff shows what changed
	$(BIN)/python -m tests.golden.record

BENCH ?=
bench: install ## measure, as ratios to other tools in one run
	$(BIN)/python -m bench --work build/bench $(BENCH)

TREES ?= build/trees
weights: install ## fit the weights of the ranking anew: TREES=folder with a checkout of each project of bench/questions.json
	$(BIN)/python -m bench.weights --trees $(TREES) --write

SOURCE ?= .
MODEL  ?= build/model.npz
model: install ## train a model on code of one's own: SOURCE=folder MODEL=file
	mkdir -p $(dir $(MODEL))
	$(BIN)/python -m training $(SOURCE) --out $(MODEL)

PACKAGES ?= build/packages
elsewhere: install ## make the bundled model's rows of other code anew: PACKAGES=folder with one folder for each package
	$(BIN)/python -m training.elsewhere $(PACKAGES) --out src/cairn/embed/models/code-static-32k-128d-int8-elsewhere.npy

clean: ## remove what was built
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
