# `make` alone lists the targets. `make book` and `make test` need only git, make and a Python.
# PYTHON chooses the interpreter, VENV the folder of the environment, JOBS the test processes.

.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
VENV ?= .venv
JOBS ?= 2
MAKEFLAGS += --jobs=$(JOBS)  # the proofs are checked while the packages are installed
PY := $(VENV)/bin/python
INSTALLED := $(VENV)/installed
unexport PYTHONDONTWRITEBYTECODE  # or every process of the tests compiles all modules again
export OCAMLRUNPARAM ?= s=1M,h=32M,o=1000  # Coq begins with the memory it needs, and looks for garbage less often
HTML := _build/html/index.html
LAB := _build/lab
FIRST := notebooks/foundations/first_release.ipynb
PAGES = $(shell find _config.yml _toc.yml CITATION.cff CHANGELOG.md CONTRIBUTING.md book notebooks results src tools -type f -not -path '*/.*' -not -path 'book/reference/*' -not -path 'book/ledger/*' -not -path 'book/proofs*.md' -not -name '*.pyc' 2>/dev/null)

.PHONY: help
help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*  ## /\1\t/p' $(MAKEFILE_LIST) | while IFS=$$'\t' read -r name text; do printf '  make %-12s %s\n' "$$name" "$$text"; done

.PHONY: env
env: $(INSTALLED)  ## create .venv from the locked packages

$(INSTALLED): requirements.lock pyproject.toml
	@in_range() { "$$1" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null; }; \
	found=; for python in $(or $(PYTHON),python3 python3.13 python3.12 python3.11); do if in_range $$python; then found=$$python; break; fi; done; \
	if [ -z "$$found" ]; then echo "dpbi needs Python 3.11, 3.12 or 3.13: none of '$(or $(PYTHON),python3 python3.13 python3.12 python3.11)' is one. Name yours with PYTHON=/path/to/python." >&2; exit 1; fi; \
	if ! in_range $(PY); then echo "Creating $(VENV) with $$($$found --version) ..."; $$found -m venv --clear $(VENV); fi
	@echo "Installing the locked packages into $(VENV) (about a minute the first time) ..."
	@$(PY) -m pip install --quiet --disable-pip-version-check --no-compile --require-hashes --requirement requirements.lock
	@$(PY) -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

.PHONY: test
test: lint types proofs  ## run the tests and all notebooks that take less than 15 s: style, types, proofs, library
	@echo "Running the tests and the notebooks; make test-all runs these, too: $(LONG)"
	@$(TESTS) $(LONG:%=--ignore=notebooks/%.ipynb)

.PHONY: test-all
test-all: lint types proofs  ## run every test and every notebook
	@$(TESTS) -m "slow or not slow"

TESTS = $(PY) -m pytest --no-header -n $(JOBS) --dist loadfile --no-loadscope-reorder  # in this order, short files are last
LONG = $(shell $(PY) -c 'import json; times = json.load(open("results/notebook_times.json"))["tables"]["times"]; \
  print(*(name for name, seconds in zip(*times.values()) if seconds > 15))')

ROOMS := accuracy arithmetic checks cli_run guarantees inference mcmc mechanisms model optimum parameters plan plots posterior_sampling privacy release results
LOWEST := _build/lowest/bin/python
.PHONY: lowest
lowest:  ## test the library with the lowest versions that pyproject.toml names, on Python 3.11
	@test -x $(LOWEST) || $(or $(PYTHON),python3.11) -m venv _build/lowest
	@echo "Installing the lowest versions into _build/lowest ..."
	@$(LOWEST) -m pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements-lowest.lock
	@$(LOWEST) -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@$(LOWEST) tests/plain.py >/dev/null
	@$(LOWEST) -m pytest --no-header -q -W ignore::DeprecationWarning -n $(JOBS) --dist loadfile \
	  $(foreach room,$(ROOMS),$(wildcard tests/test_$(room)*.py))

.PHONY: attack
attack: $(INSTALLED)  ## draw many parameters of every statement, and look for one at which it fails
	@DPBI_ATTACK=$(or $(CASES),40) $(PY) -m pytest --no-header -q -n $(JOBS) tests/test_attack.py

.PHONY: lint
lint: $(INSTALLED)  ## check style and layout of the code
	@echo "Checking style ..."
	@$(PY) -m ruff check --output-format concise .
	@$(PY) -m ruff format --check .

.PHONY: format
format: $(INSTALLED)  ## lay out the code and sort its imports
	@$(PY) -m ruff check --fix-only --quiet .
	@$(PY) -m ruff format .

.PHONY: types
types: $(INSTALLED)  ## check the types of the library
	@echo "Checking types ..."
	@$(PY) -m mypy --num-workers $(JOBS)

.PHONY: book
book: $(HTML)  ## build the book into _build/html
	@echo "The book is at $(HTML)"

.PHONY: proofs
proofs:  ## check the proofs with Coq, if it is here
	@if ! command -v coqc >/dev/null; then echo "The proofs are not checked again: coqc is not here (apt install coq libcoq-coquelicot libcoq-interval)."; \
	else echo "Checking the proofs ..." && $(MAKE) --no-print-directory --directory proofs; fi

LEDGER := _build/ledger
$(LEDGER): $(INSTALLED) book/before.csv $(shell find src/dpbi tools/ledger.py tools/proofs.py tools/crossref.py -name '*.py' -o -name errata.toml) $(shell find proofs results -type f)
	@echo "Computing the verdicts ..."
	@$(PY) tools/ledger.py
	@$(PY) tools/proofs.py
	@touch $@

$(HTML): $(INSTALLED) $(PAGES) $(LEDGER)
	@echo "Building the book ..."
	@$(PY) tools/generate.py
	@$(VENV)/bin/jupyter-book build . --quiet --warningiserror --nitpick --keep-going \
	  $(if $(filter _config.yml _toc.yml,$?),--all) || { rm -rf _build/.doctrees book/reference; exit 1; }  # a failed build repeats its warnings
	@touch $@

.PHONY: pdf
pdf: $(HTML)  ## print the book into _build/book.pdf, by Chromium
	@$(PY) tools/pdf.py

.PHONY: links
links: $(HTML)  ## ask for every address outside the book (needs the network)
	@$(VENV)/bin/jupyter-book build . --builder linkcheck --quiet

.PHONY: notebooks
notebooks: $(INSTALLED)  ## execute every notebook again and keep its outputs
	@$(PY) tools/execute.py

.PHONY: times
times: $(INSTALLED)  ## run every notebook and record how long each takes
	@$(PY) tools/execute.py --times

.PHONY: lab
lab: $(INSTALLED)  ## open the notebooks in JupyterLab, with the kernel that has the library
	@test -x $(LAB)/bin/jupyter-lab || { echo "Installing JupyterLab into $(LAB) ..."; $(PY) -m venv $(LAB) && \
	  $(LAB)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement tools/lab.lock; }
	@$(PY) -m ipykernel install --prefix $(LAB) --display-name "Python 3 (dpbi)" >/dev/null
	@$(LAB)/bin/jupyter-lab --notebook-dir=. --LabApp.default_url=/lab/tree/$(FIRST)

.PHONY: archive
archive: $(HTML)  ## pack sources, lock, built book and results, with their checksums
	@mkdir -p dist
	@{ git ls-files; find _build/html -type f; } | sort | tr '\n' '\0' | xargs -0 sha256sum > dist/SHA256SUMS
	@{ cut -c67- dist/SHA256SUMS; echo dist/SHA256SUMS; } | tar --create --gzip --file dist/dpbi.tar.gz --files-from -

.PHONY: benchmarks
benchmarks: $(INSTALLED)  ## time the library and its peers on this machine
	@$(PY) -m pip install --quiet --disable-pip-version-check --require-hashes --requirement benchmarks/requirements.lock
	@$(PY) -m pytest -q benchmarks --override-ini 'python_files=bench_*.py' --override-ini 'python_functions=bench_*'
	@$(PY) benchmarks/exact_draws.py results

.PHONY: lock
lock:  ## choose the versions in requirements.lock again (UPGRADE=--upgrade for the newest)
	@test -x _build/uv/bin/uv || { $(or $(PYTHON),python3) -m venv _build/uv && _build/uv/bin/python -m pip install --quiet uv; }
	@lock() { _build/uv/bin/uv pip compile pyproject.toml --quiet --universal --python-version 3.11 --fork-strategy fewest \
	  --generate-hashes --no-annotate --no-header --no-emit-index-url --no-emit-find-links $(UPGRADE) "$$@"; }; \
	lock --extra book --extra test --output-file requirements.lock; \
	lock --extra test --no-universal --resolution lowest-direct --output-file requirements-lowest.lock; \
	lock --extra benchmarks --constraint requirements.lock --output-file benchmarks/requirements.lock; \
	lock --extra lab --constraint requirements.lock --output-file tools/lab.lock

.PHONY: clean
clean:  ## remove the built book and every cache, keep the environment
	@rm -rf _build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .benchmarks
	@find . -path './.venv*' -prune -o -name __pycache__ -type d -print | xargs -r rm -rf
