# BrokerUI. `make run` starts it, `make test` proves it; `make help` lists the rest.
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SUFFIXES:

VENV := .venv
BIN := $(VENV)/bin
PY := $(BIN)/python
# uv keeps a cache in the home folder; an account without a home (a service's, a container's) does without.
# Like pip it trusts the certificates that this machine trusts (a company's own among them), where it has any.
UV := $(BIN)/uv --quiet $(shell [ -w "$$HOME" ] || echo --no-cache) \
    $(if $(wildcard /etc/ssl/certs/* /etc/ssl/cert.pem /etc/pki/tls/certs/*),--system-certs)
INSTALL := $(UV) pip install --python $(PY)
LOCK := $(UV) pip compile --universal --generate-hashes --python-version 3.11 --no-header $(if $(UPGRADE),--upgrade)
CATALOGUES := $(wildcard brokerui/locale/*/LC_MESSAGES/*.po)
# Each script with a main part is a benchmark; the others are what they share.
BENCHMARKS := $(or $(BENCH),$(shell grep -l '__main__' benchmarks/*.py benchmarks/*/*.py | sort))

# pytest takes more words from here: make test ARGS='tests/routing -k loops'
ARGS ?=
# A home of their own: tests must not touch what a running product keeps in var/.
# Python keeps what it has compiled, so that each process of a run and each program that a test starts begins quickly.
PYTEST := env PYTHONDONTWRITEBYTECODE= BROKERUI_HOME="$(CURDIR)/var/test" $(BIN)/pytest
BROWSER_PYTEST := BROKERUI_CHROMIUM="$$browser" $(PYTEST)
# On two cores three processes: half of the time one waits for a program that its test has started. The last of them
# has a PostgreSQL (of DATABASE_URL, or one of its own), for the tests marked both_databases.
PROCESSES ?= 3
export PYTHON

.PHONY: help setup run test test-all durations planted coverage check checked bench sim chaos mutants screenshots pictures wheel compiled lock clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(VENV)/.runtime $(VENV)/.catalogues ## what running needs, in .venv (PYTHON=… to choose the interpreter)

run: setup ## start BrokerUI on http://127.0.0.1:8000 (PORT=… to change); Ctrl-C stops it
	@$(BIN)/brokerui up

test: checked ## everything: check, then all tests, in a real browser too (ARGS=… for pytest)
	@browser=$$($(PY) scripts/browser.py) && $(BROWSER_PYTEST) -n $(PROCESSES) --postgresql $(ARGS)

durations: checked ## make test, and record which tests are long (tests/durations.json): a run begins with them
	@browser=$$($(PY) scripts/browser.py) && $(BROWSER_PYTEST) -n $(PROCESSES) --postgresql --record-durations

test-all: checked ## what is too slow for every change: more examples, all worlds, mutants, planted faults, chaos
	@browser=$$($(PY) scripts/browser.py) && HYPOTHESIS_PROFILE=test-all $(BROWSER_PYTEST) -n $(PROCESSES) --postgresql
	@$(MAKE) --no-print-directory mutants planted
	@$(MAKE) --no-print-directory sim RUNS=1000
	@$(MAKE) --no-print-directory chaos

planted: $(VENV)/.dev $(VENV)/.catalogues ## faults put into a copy of the source: a test has to find each (PLANTED=store)
	@$(PY) -m tests.planted $(PLANTED)

coverage: $(VENV)/.dev ## what of routing/ its own tests reach, branch by branch
	@$(PYTEST) -q -n 2 tests/routing tests/simulation --cov=routing --cov-branch --cov-report=term-missing:skip-covered

check: $(VENV)/.dev $(VENV)/.catalogues ## lint, format, types, import contracts; under a minute
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy
	@$(BIN)/lint-imports

# mypy has one core: the other one meanwhile compiles and migrates what every process of the tests would for itself.
checked: $(VENV)/.dev $(VENV)/.catalogues
	@$(MAKE) --silent --no-print-directory -j2 check $(VENV)/.compiled

bench: setup ## the benchmarks, one script per claim (BENCH=benchmarks/x.py for one)
	@$(if $(BENCHMARKS),,echo "no benchmarks yet";) \
	    status=0; \
	    for script in $(BENCHMARKS); do echo "== $$script"; $(PY) "$$script" || status=1; done; exit $$status

sim: setup ## brokers in simulated worlds (SEED=… for one seed, RUNS=… worlds, FAULTS=none|light|heavy)
	@$(BIN)/brokerui simulate $(if $(SEED),--seed $(SEED)) --runs $(or $(RUNS),$(if $(SEED),1,100)) --faults $(or $(FAULTS),heavy)

chaos: $(VENV)/.dev $(VENV)/.catalogues ## 60 kills in 40 minutes under load, then the wire, the disk, failovers (CHAOS='--kills 6 …')
	@$(PY) -m tests.acceptance.chaos $(CHAOS)

mutants: $(VENV)/.dev ## break the engine on purpose, in many ways: each has to be found by the simulator
	@$(PY) -m tests.simulation.mutants

screenshots: $(VENV)/.dev $(VENV)/.catalogues ## a picture of the last page of each browser test, in var/screenshots/
	@browser=$$($(PY) scripts/browser.py) && \
	    $(BROWSER_PYTEST) -m browser --screenshot on --full-page-screenshot --output var/screenshots $(ARGS)

pictures: $(VENV)/.dev $(VENV)/.catalogues ## take the picture of the README anew, in docs/img/
	@browser=$$($(PY) scripts/browser.py) && \
	    BROKERUI_PICTURES=docs/img $(BROWSER_PYTEST) -m browser tests/browser/test_demo_walk.py -k on_the_map

wheel: $(VENV)/.catalogues ## the product and its client as wheels, in dist/
	@rm -rf build dist distributions/client/build
	@for project in . ./distributions/client; do \
	    $(PY) -m pip wheel --quiet --no-build-isolation --no-deps --wheel-dir dist "$$project" || exit 1; done
	@ls dist/*.whl

compiled: $(VENV)/.dev ## the wheel with a compiled engine, for this platform: dist/, unpacked in build/compiled (needs a C compiler)
	@BROKERUI_COMPILE=1 $(MAKE) --no-print-directory wheel
	@$(PY) -m zipfile -e dist/brokerui-[0-9]*.whl build/compiled

lock: $(VENV)/.bootstrap ## resolve requirements*.txt again after a change in pyproject.toml (UPGRADE=1: to the newest)
	@$(LOCK) requirements-bootstrap.in -o requirements-bootstrap.txt
	@$(LOCK) pyproject.toml --extra pipeline -o requirements.txt
	@$(LOCK) pyproject.toml --extra pipeline --extra dev -c requirements.txt -o requirements-dev.txt

clean: ## remove what set-up, tests and caches made; the product's data in var/ stays
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	rm -rf .coverage* htmlcov test-results var/browser var/screenshots var/test
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
	find . -path '*/LC_MESSAGES/*.mo' -delete

# Each file stands for a step that is done; it is newer than what the step read.
$(VENV)/.bootstrap: requirements-bootstrap.txt
	@$(PY) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	    python=$$(scripts/find-python) && echo "making $(VENV) with $$python" && "$$python" -m venv --clear $(VENV); }
	@$(PY) -m pip install --quiet --disable-pip-version-check --require-hashes -r $<
	@touch $@

$(VENV)/.runtime: requirements.txt pyproject.toml $(VENV)/.bootstrap
	@echo "installing what BrokerUI runs on"
	@$(INSTALL) --require-hashes -r $<
	@$(INSTALL) --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.dev: requirements-dev.txt $(VENV)/.runtime
	@echo "installing what its tests need"
	@$(INSTALL) --require-hashes -r $<
	@touch $@

# Once for an environment. What changes later is little; and a test that cannot be collected is told by the run.
$(VENV)/.compiled: $(VENV)/.dev $(VENV)/.catalogues
	@$(PYTEST) -n 0 -q -k test_the_database_of_this_process >/dev/null 2>&1 || true
	@touch $@

$(VENV)/.catalogues: $(CATALOGUES) $(VENV)/.runtime
	@$(if $(CATALOGUES),$(PY) -c 'from brokerui.core.catalogues import compile_stale; compile_stale()')
	@touch $@
