# Everything a newcomer needs: `make test` and `make reproduce` do all their own set-up.
# Wanted on the machine: Python 3.11 or newer, git and make.

PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	"$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo "$$p" && break; \
	done)
WORKERS ?= 3

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PIP := $(BIN)/python -m pip install --quiet
# A quick part of the tests.
LOWEST ?= src/popout/task src/popout/evidence src/popout/drawing src/popout/policies tests/task \
	tests/cli/test_solve.py tests/cli/test_simulate.py tests/web/lab docs/quickstart.md docs/sweep.md

export PIP_DISABLE_PIP_VERSION_CHECK := 1
# A process that cannot keep its byte code compiles every library anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help reproduce claims test lint pages pages-if-node screenshots docs lint-and-doctest pytest coverage mutants bench peers paper numbers lock audit lowest dist clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

reproduce: $(READY)  ## set up, then run the main job
	$(BIN)/popout reproduce --preset quick --out results

claims: $(READY)  ## examine every claim with the paper preset and renew docs/claims.md (10 minutes)
	$(BIN)/popout reproduce --preset paper --out results/paper
	$(BIN)/python -m popout.paper.claims.page results/paper/claims.json docs/claims.md

# Two things at a time, each of which hardly uses more than one core; then the tests, which use both.
test:  ## set up, then check style, types and layers, and run every test
	@$(MAKE) --no-print-directory --jobs=2 $(READY) pages-if-node
	@$(MAKE) --no-print-directory --jobs=2 docs lint-and-doctest
	@$(MAKE) --no-print-directory pytest PARTS="tests docs"

lint: $(READY)  ## ruff, mypy --strict on src (as on Linux and on Windows), and the one-way imports
	$(BIN)/ruff check .
	$(BIN)/ruff check --preview --select PLW1514 .  # a text file has a declared encoding
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy --platform win32 --cache-dir .mypy_cache/win32
	$(BIN)/lint-imports --no-cache

# While the site is built, which takes longer than lint.
lint-and-doctest: $(READY)
	@$(MAKE) --no-print-directory lint
	@$(MAKE) --no-print-directory pytest PARTS=src WORKERS=0

pages: web/node_modules/.ready  ## check, test and build the pages of the browser side (needs Node)
	cd web && npm run --silent check && npm run --silent test && npm run --silent build

# A user needs no Node; in CI its absence is a fault.
pages-if-node:
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory pages; \
	elif test -n "$$CI"; then echo "CI needs Node 20 or newer: npm is not installed"; exit 1; \
	else echo "skipped: the browser's pages are not built, because Node (npm) is not installed"; fi

web/node_modules/.ready: web/package.json web/package-lock.json
	cd web && npm ci --no-audit --no-fund
	@touch $@

screenshots: $(READY) pages docs  ## every page at three widths, into docs/pictures (needs Chromium)
	$(BIN)/python tests/web/browser/screenshots.py docs/pictures

# Source maps of the theme's scripts are a third of the site, and nobody reads them.
docs: $(READY)  ## the documentation site, into site/: a warning is an error
	$(BIN)/sphinx-build --jobs 2 --quiet --fail-on-warning --keep-going \
		--doctree-dir site/.doctrees docs site
	@find site -name '*.map' -delete

# Three workers for two cores, because those that drive a browser wait half of the time. They share the
# machine: a pool of BLAS threads in each would only contend.
# `worksteal`: a worker that has nothing left takes tests from the other.
pytest coverage: export OPENBLAS_NUM_THREADS = 1
pytest: $(READY)  ## tests and doctests
	$(BIN)/pytest -n $(WORKERS) --dist worksteal $(PARTS)

coverage: $(READY)  ## the same, with the lines and branches that no test runs (half as long again)
	$(BIN)/pytest -n $(WORKERS) --dist worksteal --cov --cov-report=term

mutants: $(READY)  ## plant mistakes one at a time and say which no test notices (an hour on two cores)
	$(BIN)/python tests/mutants/plant.py

bench: $(READY)  ## every benchmark, one table each
	$(BIN)/python benchmarks/run.py

peers: export HATCH_BUILD_NO_HOOKS = true
peers: $(READY)  ## beside PyDDM, HSSM, ssm-simulators, SciPy and QuantEcon, in an environment of their own
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python $(VENV)/peers
	$(BIN)/uv pip install --quiet --python $(VENV)/peers -e . -r benchmarks/peers.txt
	$(VENV)/peers/bin/python benchmarks/renew.py peers

paper: $(READY)  ## the software paper, paper/paper.pdf, with pandoc and Typst in an environment of their own
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python $(VENV)/paper
	$(BIN)/uv pip install --quiet --python $(VENV)/paper pypandoc-binary==1.17 typst==0.15.0
	$(VENV)/paper/bin/python paper/build.py

numbers: $(READY)  ## list the tables of the docs that a command prints by their age, in docs/numbers.md
	$(BIN)/python benchmarks/renew.py

numbers-%: $(READY)  ## numbers-gaze: run the command again and put its tables into the page
	$(BIN)/python benchmarks/renew.py $*

lock: $(READY)  ## renew requirements.lock: versions and hashes, no addresses
	$(BIN)/uv pip compile --quiet --upgrade --generate-hashes --extra dev --no-header \
		--python-version 3.11 pyproject.toml --output-file requirements.lock

audit: $(READY)  ## known vulnerabilities of all that is locked, Python and npm (asks the network)
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python $(VENV)/audit
	$(BIN)/uv pip install --quiet --python $(VENV)/audit pip-audit==2.10.1
	@$(VENV)/audit/bin/pip-audit --require-hashes --disable-pip -r requirements.lock; python=$$?; \
	cd web && npm audit && exit $$python

# A bound of pyproject.toml that fails is to be raised until it holds. Old versions of one library warn
# of new ones of another, which is no fault of ours.
lowest: export HATCH_BUILD_NO_HOOKS = true
lowest: $(READY)  ## the lowest versions of all dependencies, tried in an environment of their own
	$(BIN)/uv venv --quiet --clear $(VENV)/lowest
	$(BIN)/uv pip install --quiet --python $(VENV)/lowest --resolution lowest-direct \
		-e ".[parquet,arviz,web,postgres]" \
		"pytest>=8.2" "hypothesis>=6.100" "httpx>=0.27" "jsonschema>=4.20" "psutil>=5.9"
	NUMBA_CACHE_DIR=$(VENV)/lowest/compiled $(VENV)/lowest/bin/python -m pytest -q \
		-o filterwarnings=default $(LOWEST)

dist: $(READY) pages  ## wheel and sdist, with pages and schemas, into dist/
	$(BIN)/python -m hatchling build

clean:  ## remove the environment and everything made
	rm -rf $(VENV) dist site docs/gallery docs/notebooks docs/project docs/reference
	rm -rf web/node_modules web/made src/popout/web/static
	rm -rf .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamp is written last, so an interrupted set-up starts again. uv does not read the settings of pip:
# where only those say where packages are, pip installs them all. No hooks: `pages` builds the pages,
# perhaps at the same time.
$(READY): requirements.lock pyproject.toml
	@test -n "$(PYTHON)" || { echo "popout needs Python 3.11 or newer: set PYTHON=..."; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	@sed -n '/^uv==/,/# via/p' requirements.lock > $(VENV)/uv.txt
	$(PIP) --require-hashes -r $(VENV)/uv.txt
	$(BIN)/uv pip sync --quiet --python $(BIN)/python --require-hashes requirements.lock \
		|| $(PIP) --no-deps --require-hashes -r requirements.lock
	HATCH_BUILD_NO_HOOKS=true $(PIP) --no-deps --no-build-isolation -e .
	$(BIN)/uv pip check --quiet --python $(BIN)/python
	@touch $(READY)
