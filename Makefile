# make core     set up what inspects, judges and scores; GROUPS="track notebooks" adds groups of pyproject.toml
# make app      the same in one file, build/sbd.pyz, for the Python that made it
# make repro    set up, then run the main road (PROFILE=quick runs apart, under build/)
# make study    the same, then one study: NAME=olaps (studies/ lists them);  make studies: all of them
# make test     set up, then run the fast set of tests (WHAT=tests/traces for a part; tests/README.md)
# make test-all set up, then run every test, as at night and before a release
# make check    style, types, layers, data dictionary, scenario schema
# make fuzz     every fuzz target: a million executions each, five million of C and C++; SECONDS=900 for so long each
# make export   check the exported headers against the trained models, with gcc and clang; publish to build/export (after make repro)
# make proof    the pipeline, nothing in git changed by it, then every test
# make loop     build the simulator with detectors in the loop, .venv/bin/smartsbd-loop, with the headers in export/generated
# make kernel   build the recorder and the controllers, build/kernel/sbd-record and sbd-kernel (clang 19 and Rust)
# make crate    test the crate for senders in Rust (rust/), and make its package, build/rust/package (Rust alone)
# make quic     build a sender of multipath QUIC whose paths are coupled by verdicts, build/quic/sbd-quic (Rust; fetches crates)
# make testbed  build the relay of sbd testbed, build/testbed/sbd-relay (nothing else needs it)
# make bench    time something: WHAT="parse --memory" runs benchmarks/parse.py; without WHAT, say what there is
# make ui       MLflow on loopback (PORT=5000); prints the address of the runs
# make screenshots      the pictures of docs/mlflow.md, with chromium (after make repro)
# make notebooks run the notebooks on the results, in place
# make lab      JupyterLab on loopback (LAB_PORT=8888)
# make docs     these documents, the notebooks and the Python API as a site, build/site/index.html (needs no set-up)
# make audit    look known vulnerabilities of every locked package up (nightly.yml does)
# make clean    remove what the pipeline made, all of data/raw and build/;  make distclean: the environment too

VENV := .venv
VENV_PYTHON := $(VENV)/bin/python
PROFILE := default
NAME :=
PORT := 5000
LAB_PORT := 8888
WHAT :=
SECONDS :=

export PATH := $(CURDIR)/$(VENV)/bin:$(PATH)
export DVC_NO_ANALYTICS := 1
export MLFLOW_DISABLE_TELEMETRY := true
export DO_NOT_TRACK := 1

.PHONY: kernel crate quic testbed loop core app repro study studies test test-all check fuzz proof audit export bench \
	ui screenshots notebooks docs lab setup installed core-installed simulator native lock clean distclean
.DELETE_ON_ERROR:

repro: setup
	sbd repro $(PROFILE)

study: setup
	sbd repro $(PROFILE) studies/$(NAME)/dvc.yaml

studies: setup
	sbd repro $(PROFILE) --studies

PYTEST := pytest --numprocesses auto --dist loadfile --no-loadscope-reorder --cpu-seconds build/cpu-seconds.csv
test: setup
	$(PYTEST) -m "not slow" $(WHAT)

test-all: setup
	$(PYTEST) $(WHAT)

check: setup
	ruff check .
	ruff format --check .
	mypy
	lint-imports
	sbd dictionary --check
	python -m smartsbd.scenarios.schema --check

fuzz: setup
	python -m tests.fuzz.campaign --merge --out build/fuzz/campaign.md $(if $(SECONDS),--seconds $(SECONDS))

proof: repro
	sbd stage export --check
	git diff --exit-code
	$(MAKE) test-all

export: setup
	sbd stage export --check --all-compilers --publish build/export
	dvc repro --quiet --force --single-item prove
	git diff --exit-code -- export/generated reports/prove reports/export.json

bench: setup $(if $(filter export,$(WHAT)),$(VENV)/bench/.installed)
	@$(if $(WHAT),python -m benchmarks.$(WHAT),sed -n 's/^- /  /p' benchmarks/README.md)

screenshots: setup
	python -m tests.browser.screenshots

ui: setup
	$(if $(filter default,$(PROFILE)),,cd build/$(PROFILE) &&) sbd ui --port $(PORT)

notebooks: setup
	jupyter nbconvert --config notebooks/jupyter_config.py --log-level WARN --to notebook --execute --inplace notebooks/*.ipynb

# The side bar is on every page: a page that was added or removed changes them all, so that a build begins anew.
docs: $(VENV)/docs/.installed
	rm -rf build/docs build/site
	$(VENV)/docs/bin/python -m docs.site.sources build/docs
	$(VENV)/docs/bin/python -m sphinx --fail-on-warning --quiet --jobs auto --conf-dir docs/site \
		--doctree-dir build/docs/doctrees build/docs/source build/site
	@echo "build/site/index.html"

lab: setup
	$(if $(filter default,$(PROFILE)),,cd build/$(PROFILE) &&) jupyter lab --config notebooks/jupyter_config.py --port $(LAB_PORT)

kernel:
	@$(MAKE) --no-print-directory -C kernel

# Nothing is fetched: the crate needs nothing.
CARGO := cd rust && CARGO_TARGET_DIR="$(CURDIR)/build/rust" CARGO_NET_OFFLINE=true cargo
crate:
	$(CARGO) test --locked --quiet
	$(CARGO) doc --locked --quiet --no-deps
	$(CARGO) package --locked --quiet --allow-dirty
	@ls build/rust/package/*.crate

quic:
	cd rust/quic && CARGO_TARGET_DIR="$(CURDIR)/build/quic/target" cargo build --release --locked --quiet
	cp build/quic/target/release/sbd-quic build/quic/sbd-quic.$$$$ && mv build/quic/sbd-quic.$$$$ build/quic/sbd-quic

testbed:
	@$(MAKE) --no-print-directory -C testbed/relay

audit: $(VENV)/audit/.installed
	$(VENV_PYTHON) requirements/audit.py $(VENV)/audit/bin/pip-audit requirements/*.txt

# What comes as a source distribution is built with locked packages alone, the same or of a lock of their own.
BUILT_WITH := --preview-features build-dependency-hashes --require-build-hashes --build-constraints
# This project itself, which has no digest; what builds it has.
OURS_BUILT_WITH := $(BUILT_WITH) requirements/native.txt --verify-hashes
WHEELS := --only-binary :all:

# What reads inputs and judges them, and stored models; GROUPS="track notebooks" adds some of pyproject.toml's others.
IN_GROUPS = uv pip install --quiet --python $(VENV_PYTHON) --verify-hashes -c requirements/main.txt \
	$(BUILT_WITH) requirements/main.txt -r pyproject.toml
core:
	$(ALONE) $(MAKE) --no-print-directory core-installed

core-installed: $(VENV)/.core
	$(if $(GROUPS),@$(IN_GROUPS) $(GROUPS:%=--extra %))
	$(call compiled_native,$(BUILD_TOOLS))
	@# A first verdict; what it imports is compiled on the way, and nothing else.
	@env -u PYTHONDONTWRITEBYTECODE sbd detect data/samples/kernel/inputs/101.state.csv.zst

$(VENV)/.core: $(VENV)/.uv requirements/main.txt requirements/native.txt pyproject.toml
	@echo "set-up: packages of Python"
	@$(IN_GROUPS)
	$(call editable,$(OURS_BUILT_WITH))
	@touch $@

# The program, what it needs and the detector in git in one file, for the Python of .venv/; packages stay private to it.
app: core
	rm -rf build/app
	uv pip install --quiet --python $(VENV_PYTHON) --target build/app/site $(WHEELS) --verify-hashes -c requirements/main.txt \
		-r pyproject.toml
	uv pip install --quiet --python $(VENV_PYTHON) --target build/app/site $(OURS_BUILT_WITH) --no-deps .
	uv pip install --quiet --python $(VENV_PYTHON) --target build/app/tools $(WHEELS) --require-hashes -r requirements/app.txt
	PYTHONPATH=build/app/tools $(VENV_PYTHON) -m shiv --site-packages build/app/site --console-script sbd --compressed \
		--python "/usr/bin/env python$$($(VENV_PYTHON) -V | sed -E 's/Python (3\.[0-9]+).*/\1/')" --output-file build/sbd.pyz

# What compilers print goes to a log. A folder that has nothing to do says nothing.
SETUP_LOG := build/setup.log
define compiled
	@$(MAKE) --question -C $(1) PREFIX=$(2) $(3) >/dev/null 2>&1 || { \
		echo "set-up: $(4)" && mkdir -p build && \
		$(MAKE) --jobs=2 -C $(1) PREFIX=$(2) $(3) >>$(SETUP_LOG) 2>&1 || { \
			tail -n 30 $(SETUP_LOG); echo "set-up: this failed; $(SETUP_LOG) has every line"; exit 1; } >&2; }
endef

# The backend's finder would bring this folder's modules to a clone that runs beside it: a path alone comes after the
# folder that a program is started in.
define editable
	@uv pip install --quiet --python $(VENV_PYTHON) $(1) --no-deps --editable .
	@sed -i '/^import /d' $(VENV)/lib/python3.*/site-packages/_editable_skbc_smartsbd.pth
endef

# CMake and what it needs, of the cache of packages: 90 MB that only a compilation uses.
BUILD_TOOLS := uv run --quiet --no-project --python $(VENV_PYTHON) --with-requirements requirements/native.txt

# What is compiled for Python, and the detectors in C, by the tools that are given, else by those of the environment.
define compiled_native
	@mkdir -p build && ($(1) cmake -G Ninja -S native -B build/native -DPLACE="$(CURDIR)/native" $(NATIVE_OPTIONS) \
		-DPython_EXECUTABLE="$(CURDIR)/$(VENV_PYTHON)" -Dpybind11_DIR="$$($(1) python -m pybind11 --cmakedir)" && \
		$(1) cmake --build build/native) >build/native.log 2>&1 || { \
			tail -n 30 build/native.log; echo "set-up: this failed; build/native.log has every line"; exit 1; } >&2
endef

# One at a time: a second make waits. What it starts holds the lock too.
ALONE = @flock --nonblock Makefile true || echo "make: another sets up in this folder: waiting for it" >&2; flock Makefile
setup:
	$(ALONE) $(MAKE) --no-print-directory --jobs=2 installed

installed: $(VENV)/.installed $(VENV)/auto-sklearn/.installed simulator native
	@python -m compileall -q smartsbd studies

$(VENV)/.uv: requirements/uv.txt requirements/check-tools.sh
	@rm -rf $(VENV)
	@python=$$(requirements/check-tools.sh) && echo "set-up: an environment of $$python, $(VENV)" && "$$python" -m venv $(VENV)
	@$(VENV)/bin/pip install --quiet --disable-pip-version-check $(WHEELS) --require-hashes -r $<
	@touch $@

$(VENV)/.installed: $(VENV)/.uv requirements/main.txt requirements/simulator.txt requirements/native.txt pyproject.toml
	@echo "set-up: packages of Python"
	@uv pip sync --quiet --compile-bytecode --python $(VENV_PYTHON) --require-hashes $(BUILT_WITH) requirements/main.txt \
		requirements/main.txt
	@uv pip install --quiet --compile-bytecode --python $(VENV_PYTHON) $(WHEELS) --require-hashes --no-deps \
		-r requirements/uv.txt -r requirements/simulator.txt -r requirements/native.txt
	$(call editable,--no-build-isolation --offline)
	@touch $@

$(VENV)/auto-sklearn/.installed: $(VENV)/.uv requirements/auto-sklearn.txt requirements/auto-sklearn-build.txt \
		requirements/auto-sklearn.sh
	@echo "set-up: the environment of auto-sklearn"
	@requirements/auto-sklearn.sh $(@D) $(VENV)/bin/uv

$(VENV)/bench/.installed: $(VENV)/.uv requirements/bench.txt
	uv venv --quiet --clear --python $(VENV_PYTHON) $(@D)
	uv pip install --quiet --compile-bytecode --python $(@D)/bin/python $(WHEELS) --require-hashes -r requirements/bench.txt
	touch $@

$(VENV)/docs/.installed: $(VENV)/.uv requirements/docs.txt
	uv venv --quiet --clear --python $(VENV_PYTHON) $(@D)
	uv pip install --quiet --compile-bytecode --python $(@D)/bin/python $(WHEELS) --require-hashes -r requirements/docs.txt
	touch $@

$(VENV)/audit/.installed: $(VENV)/.uv requirements/audit.txt
	uv venv --quiet --clear --python $(VENV_PYTHON) $(@D)
	uv pip install --quiet --python $(@D)/bin/python $(WHEELS) --require-hashes -r requirements/audit.txt
	touch $@

simulator: $(VENV)/.installed
	$(call compiled,simulator,../$(VENV),all loop-parts,the simulator)

# It takes the exported headers, which the pipeline makes of what the plain simulator has simulated: so it is built apart.
loop: $(VENV)/.installed
	@$(MAKE) --no-print-directory --jobs=2 -C simulator PREFIX=../$(VENV) loop

native: $(VENV)/.installed
	$(compiled_native)

# Pins stay as they are; delete a requirements file first to take newer versions.
LOCK := uv pip compile --quiet --generate-hashes --no-emit-index-url --no-header \
	--python-version 3.11 --python-platform x86_64-manylinux_2_28
GROUPS_OF_ALL := train automl track notebooks scale
lock:
	$(LOCK) pyproject.toml $(GROUPS_OF_ALL:%=--extra %) --group dev -o requirements/main.txt >/dev/null
	$(LOCK) --group app -c requirements/main.txt -o requirements/app.txt >/dev/null
	$(LOCK) --no-deps --group simulator -o requirements/simulator.txt >/dev/null
	$(LOCK) --group native -c requirements/main.txt -o requirements/native.txt >/dev/null
	$(LOCK) requirements/uv.in -o requirements/uv.txt >/dev/null
	$(LOCK:3.11=3.9) requirements/auto-sklearn.in -o requirements/auto-sklearn.txt >/dev/null
	$(LOCK:3.11=3.9) requirements/auto-sklearn-build.in -o requirements/auto-sklearn-build.txt >/dev/null
	$(LOCK) requirements/bench.in -o requirements/bench.txt >/dev/null
	$(LOCK) requirements/docs.in -o requirements/docs.txt >/dev/null
	$(LOCK) requirements/audit.in -o requirements/audit.txt >/dev/null
	$(LOCK) requirements/wheels.in -o requirements/wheels.txt >/dev/null

clean:
	rm -rf build data/raw data/tables data/truth data/features data/boxes data/relevance data/swapped data/journal.jsonl data/automl data/searched data/trained data/predictions data/transferred.parquet data/proved data/exported data/header.parquet \
		data/accuracy.parquet data/controls data/tracked.json data/page.json data/mlflow* \
		data/baselines data/partitions data/verdicts data/tiles data/learnt_verdicts.parquet data/replayed data/sensitivity.parquet data/leaderboard.parquet data/studies data/shift data/tuned data/unseen.parquet \
		data/generalised.parquet \
		reports/*.html dvc_plots .dvc/cache .dvc/tmp

distclean: clean
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
