# Every target sets up what it needs: its own virtual environment in .venv, its own binaries in
# .cache/control-plane. The only prerequisites are Python (best 3.13, as in the image) and, for the
# control plane, Go 1.26.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

# The image's Python first, then the other versions that pyproject.toml accepts.
PYTHON ?= $(shell tools/find-python 3.13 3.12 3.11 3.14 3)
BIN := .venv/bin
READY := .venv/.ready
MUTMUT := .cache/mutants/venv/bin/mutmut
ZENSICAL := .cache/docs/venv/bin/zensical
CYCLONEDX := .cache/release/venv/bin/cyclonedx-py
export PYTHONPATH := tools
SUPPORT := tests/support:tests/support/component:tests/support/generators:tests/support/pages

##@ Use

.PHONY: help
help: ## Show this text
	@awk 'BEGIN {FS = ":.*## "} /^##@/ {printf "\n%s\n", substr($$0, 5)} \
		/^[a-z-]+:.*## / {printf "  make %-17s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

.PHONY: demo
demo: $(READY) ## Two teams borrow and return capacity on a real control plane (ARGS="--down" removes it after)
	@$(BIN)/python -m demo $(ARGS)

.PHONY: dev
dev: $(READY) ## Run the whole operator from the source on a local control plane, by Kopf (Ctrl-C ends it; ARGS="--port 8080")
	@$(BIN)/python -m dev $(ARGS)

.PHONY: cluster-up
cluster-up: $(READY) ## Start the local control plane and say where its kubeconfig is (ARGS=--autoscaler)
	@$(BIN)/python -m local_cluster up $(ARGS)

.PHONY: cluster-down
cluster-down: $(READY) ## Stop the local control plane
	@$(BIN)/python -m local_cluster down

##@ Change

.PHONY: check
check: lint ## All of lint, then the fast tests (4 minutes)
	@echo "== fast tests"
	@$(BIN)/pytest -q -m "not cluster" $(FAST)

.PHONY: lint
lint: $(READY) ## Format, lint, types, import contracts, prose (pre-commit runs it)
	@echo "== format and lint"
	@$(BIN)/ruff format --check --quiet . || { echo "run: make fmt"; exit 1; }
	@$(BIN)/ruff check --quiet .
	@echo "== types"
	@$(BIN)/mypy
	@echo "== import contracts"
	@$(BIN)/lint-imports --no-cache >.cache/import-contracts.txt || { cat .cache/import-contracts.txt; exit 1; }
	@grep '^Contracts:' .cache/import-contracts.txt
	@echo "== prose"
	@$(BIN)/python -m prose

# A third of their time is spent waiting.
FAST := -n $(shell expr 2 \* $$(getconf _NPROCESSORS_ONLN)) --dist worksteal

# Three clusters side by side, because most tests wait. Tests of one file share a cluster, and files
# come in their order, so that those with the same chart values share an upgrade. Go programs may use
# more memory.
CLUSTERS := -n 3 --dist loadfile --no-loadscope-reorder
test test-long test-grants test-kubernetes: export GOGC := 400
# Without its cache, each worker of pytest rewrites the assertions of a thousand files.
check test test-long test-grants test-kubernetes: export PYTHONDONTWRITEBYTECODE :=

.PHONY: test
test: check ## All of check, then the chart and cluster tests on a real control plane (24 minutes on two cores)
	@echo "== control plane binaries, and the servers of the oldest Kubernetes"
	@$(BIN)/python -m local_cluster build
	@$(BIN)/python -m local_cluster servers 1.30
	@echo "== chart and cluster tests (about 20 minutes)"
	@$(BIN)/pytest -q -m "cluster and not long" $(CLUSTERS) tests/chart tests/e2e tests/tools

.PHONY: test-long
test-long: $(READY) ## The long and rare cluster tests: faults, rollovers, churn, upgrades (25 minutes)
	@$(BIN)/python -m local_cluster build
	@$(BIN)/python -m external_systems
	@$(BIN)/pytest -q -m "cluster and long" $(CLUSTERS) tests/chart tests/e2e tests/tools

.PHONY: test-grants
test-grants: $(READY) ## All cluster tests in one run, which uses each grant of the chart's roles (an hour)
	@$(BIN)/python -m local_cluster build
	@$(BIN)/python -m external_systems
	@$(BIN)/pytest -q -m cluster $(CLUSTERS) --timeout 1200 --each-grant-is-used tests/e2e

.PHONY: test-oldest
test-oldest: ## The cluster tests on the oldest Kubernetes that the chart takes (20 minutes)
	@$(MAKE) test-kubernetes KUBERNETES=1.30

.PHONY: test-kubernetes
test-kubernetes: $(READY) ## The cluster tests on one Kubernetes (KUBERNETES=1.30, 1.33, 1.35, 1.36 or 1.37)
	@servers=$$($(BIN)/python -m local_cluster servers $(KUBERNETES)); \
		KUBEBUILDER_ASSETS=$$servers $(BIN)/pytest -q -m cluster $(CLUSTERS) tests/e2e

PYTHONS := 3.11 3.13

.PHONY: test-pythons
test-pythons: ## The fast tests on the oldest Python and on the image's (5 minutes each; PYTHONS=3.14)
	@for version in $(PYTHONS); do \
		python=$$(tools/find-python $$version) || { echo "== Python $$version is not installed: not tested"; continue; }; \
		venv=.cache/python-$$version; \
		echo "== the fast tests on $$($$python --version)"; \
		test -x $$venv/bin/python || $$python -m venv $$venv; \
		$$venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt; \
		$$venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable . --editable ./importers; \
		$$venv/bin/pytest -q -m "not cluster" $(FAST) || exit 1; \
	done

.PHONY: fmt
fmt: $(READY) ## Format the code and repair what the linter can
	@$(BIN)/ruff check --quiet --fix . || true
	@$(BIN)/ruff format .

.PHONY: bench
bench: $(READY) ## Measure the engine beside the usual method and print a table (3-5 minutes)
	@$(BIN)/python -m benchmarks.engine

.PHONY: bench-admission
bench-admission: $(READY) ## Measure the webhook beside Kopf's server (10 minutes; ARGS=--cluster: the API server too)
	@PYTHONPATH=tools:$(SUPPORT) $(BIN)/python -m benchmarks.admission $(ARGS)

.PHONY: bench-enforcement
bench-enforcement: $(READY) ## Measure releases, decisions and reclaim beside a bare client (20 minutes; ARGS="--turns 1")
	@$(BIN)/python -m benchmarks.enforcement $(ARGS)

.PHONY: bench-dialects
bench-dialects: $(READY) ## Measure how fast external objects become quotas (1 minute)
	@$(BIN)/python -m benchmarks.integrations

.PHONY: bench-jobs
bench-jobs: $(READY) ## Measure how fast suspended jobs are started beside a bare client (20 minutes; ARGS="--turns 1")
	@$(BIN)/python -m benchmarks.jobs $(ARGS)

.PHONY: bench-waits
bench-waits: $(READY) ## Measure how good wait estimates are, in simulated weeks (10 minutes; ARGS="--seeds 1")
	@PYTHONPATH=operator:$(SUPPORT):tests/support/builders $(BIN)/python -m benchmarks.waits $(ARGS)

.PHONY: bench-controller
bench-controller: $(READY) ## Measure the controller's start, memory, statuses, rest and succession (40 minutes; ARGS="--only replay")
	@PYTHONPATH=operator:webhooks:tools $(BIN)/python -m benchmarks.controller $(ARGS)

.PHONY: bench-scrapes
bench-scrapes: $(READY) ## Measure what metrics cost the decision cycle (1 minute)
	@PYTHONPATH=operator:$(SUPPORT):tests/support/builders $(BIN)/python -m benchmarks.scrapes

.PHONY: bench-cli
bench-cli: $(READY) ## Measure how fast the command line starts (1 minute)
	@$(BIN)/python -m benchmarks.command_line

.PHONY: fuzz
fuzz: $(READY) ## Search ten minutes each for manifests and reviews that break something
	@test -x .cache/fuzz/bin/python || $(PYTHON) -m venv .cache/fuzz
	@.cache/fuzz/bin/python -m pip install --quiet --disable-pip-version-check atheris
	@.cache/fuzz/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes \
		-r requirements/runtime.txt
	@for target in manifests reviews; do \
		mkdir -p .cache/fuzz-found/$$target && \
		PYTHONPATH=operator:webhooks:$(SUPPORT) .cache/fuzz/bin/python tests/fuzz/fuzz.py \
			$$target .cache/fuzz-found/$$target tests/fuzz/corpus/$$target \
			-max_total_time=600 -max_len=2048 -len_control=10 -timeout=5; \
	done

.PHONY: pictures
pictures: $(READY) ## Draw the pictures of the pages, and the recording of a tenant's session
	@PYTHONPATH=operator:tools $(BIN)/python docs/pictures/draw.py
	@$(BIN)/python tools/recording.py

.PHONY: crds
crds: $(READY) ## Write crds/, the chart's copies and their reference page from operator/elasticquota_api
	@PYTHONPATH=operator:tools $(BIN)/python -m definition_files
	@PYTHONPATH=operator:webhooks:tools:tests/support/builders $(BIN)/python -m reference_pages

.PHONY: reference
reference: $(READY) ## Write docs/reference, generated tables, and what commands print
	@PYTHONPATH=operator:webhooks:tools:tests/support/builders $(BIN)/python -m reference_pages
	@PYTHONPATH=operator:webhooks:tools $(BIN)/python -m shown_commands
	@$(BIN)/python -m behaviors

.PHONY: session
session: $(READY) ## Record what a tenant sees on a local cluster (3 minutes; ARGS=--check compares only)
	@$(BIN)/python -m tenant_session $(ARGS)

.PHONY: docs
docs: reference $(ZENSICAL) ## Build the documentation as a site in .cache/site; a broken link ends it (10 seconds)
	@$(BIN)/python -m docs_site $(ZENSICAL)

# No development requirement: only this target needs it.
$(ZENSICAL): $(READY) requirements/docs.txt
	@$(BIN)/python -m venv .cache/docs/venv
	@.cache/docs/venv/bin/python -m pip install --quiet --disable-pip-version-check \
		--require-hashes -r requirements/docs.txt
	@touch $@

.PHONY: laws
laws: $(READY) ## Try the laws with new seeds until one fails (ARGS="--minutes 30"; 10 minutes)
	@PYTHONPATH=tools nice -n 10 $(BIN)/python -m laws $(ARGS)

.PHONY: mutants
mutants: $(MUTMUT) ## Change rules in small ways: a test must detect 95% (ARGS="--sample 130 ledger scheduling")
	@nice -n 10 $(BIN)/python -m mutation $(MUTMUT) $(or $(ARGS),--sample 130)

# No development requirement: only this target needs it.
$(MUTMUT): $(READY) requirements/mutants.txt
	@rm -rf .cache/mutants
	@$(BIN)/python -m venv .cache/mutants/venv
	@.cache/mutants/venv/bin/python -m pip install --quiet --disable-pip-version-check \
		--require-hashes -r requirements/dev.txt -r requirements/mutants.txt
	@touch $@

.PHONY: dist
dist: $(CYCLONEDX) ## Write dist/: all that a release has but the image (ARGS="--all --registry R --url URL")
	@$(BIN)/python -m dist --cyclonedx $(CYCLONEDX) $(ARGS)

# No development requirement: only this target needs it.
$(CYCLONEDX): $(READY) requirements/release.txt
	@$(BIN)/python -m venv .cache/release/venv
	@.cache/release/venv/bin/python -m pip install --quiet --disable-pip-version-check \
		--require-hashes -r requirements/release.txt
	@touch $@

.PHONY: lock
lock: $(READY) ## Resolve the dependencies and pin them by hash
	@$(BIN)/python -m pip install --quiet uv
	@cd requirements && \
	export UV_CUSTOM_COMPILE_COMMAND="make lock" && \
	../$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
		--no-annotate ../pyproject.toml -o runtime.txt && \
	../$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
		--no-annotate ../pyproject.toml --group ../pyproject.toml:dev -c runtime.txt -o dev.txt && \
	../$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
		--no-annotate --group ../pyproject.toml:build -c dev.txt -o build.txt && \
	../$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
		--no-annotate -c dev.txt mutants.in -o mutants.txt && \
	../$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
		--no-annotate -c dev.txt docs.in -o docs.txt && \
	../$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
		--no-annotate release.in -o release.txt

.PHONY: clean
clean: ## Remove the virtual environment and caches (the control plane's binaries stay)
	@rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

# The environment is made again when a lock or the list of packages changes.
$(READY): requirements/dev.txt pyproject.toml importers/pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.13 is needed (3.11 or 3.12.4 and newer will do): install it, or name one: make PYTHON=/path/to/python3"; exit 1; }
	@mkdir -p .cache
	@echo "== making .venv with $$($(PYTHON) --version), $(PYTHON) (1-2 minutes the first time)"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info[:2] != (3, 13))' || echo "== the image has Python 3.13, which was not found: what is tested here is not quite what runs there"
	@test "$$($(BIN)/python --version 2>&1)" = "$$($(PYTHON) --version)" || $(PYTHON) -m venv --clear .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable . --editable ./importers
	@touch $@
