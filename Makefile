# Everything sets itself up: a machine with Python 3.11+ and make is enough.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.PHONY: demo test test-all test-numba check check-cuda test-cuda bench-cuda docs bench clean

demo: $(READY)  ## identify the best of ten arms, then figure 1(a) of the paper on 1000 instances (under 90 s)
	$(BIN)/toptwo demo --out out/demo

test: $(READY)  ## the test suite
	$(BIN)/python -m pytest -n 2 -q -m "not slow"

test-all: $(READY)  ## the test suite with the long statistical checks
	$(BIN)/python -m pytest -n 2 -q

VERSION ?= 0.62.0
OTHER := .venv-numba-$(VERSION)
IS_NAIVE := test_compiled_is_interpreted_is_naive

test-numba:  ## the compiled engine with another version of Numba: make test-numba VERSION=0.62.0
	$(PYTHON) -m venv $(OTHER)
	grep -vE '^(numba|llvmlite|numpy|scipy)==' constraints.txt > $(OTHER)/constraints.txt
	$(OTHER)/bin/python -m pip install --quiet --disable-pip-version-check -c $(OTHER)/constraints.txt -e '.[dev]' numba==$(VERSION)
	NUMBA_CACHE_DIR=$(OTHER)/cache $(OTHER)/bin/python -m pytest -q \
		tests/engines/test_options.py tests/engines/test_no_cache.py tests/engines/test_cache.py \
		$(foreach name,TTUCB A-S-TTTS TT-MOSS,"tests/engines/test_equality.py::$(IS_NAIVE)[$(name)]") \
		$(foreach name,TaS LUCB Exp-Gap,"tests/engines/test_competitors.py::$(IS_NAIVE)[$(name)]") \
		"tests/families/test_every_algorithm.py::test_compiled_is_interpreted_on_bernoulli_rewards[KL-LUCB]"

check: $(READY)  ## lint, types, layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

CUDA := .venv-cuda
CUDA_READY := $(CUDA)/.ready

check-cuda: $(CUDA_READY)  ## the CUDA engine without a GPU: its driver in the simulator, every kernel compiled to PTX
	NUMBA_ENABLE_CUDASIM=1 $(CUDA)/bin/python -m pytest -q -p no:cacheprovider tests/cuda
	$(CUDA)/bin/python -m pytest -q -p no:cacheprovider tests/cuda/test_ptx.py

test-cuda: $(CUDA_READY)  ## the CUDA engine on a GPU, beside the processor
	$(CUDA)/bin/python -m pytest -q -n 4 -p no:cacheprovider tests/cuda

bench-cuda: $(CUDA_READY)  ## the CUDA engine on a GPU: speed beside two threads, 10⁸ runs of the error check, a figure
	$(CUDA)/bin/python -m benchmarks.cuda --save

$(CUDA_READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(CUDA)
	$(CUDA)/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev,cuda]' nvidia-nvvm
	@touch $(CUDA_READY)

docs: $(READY)  ## the table of algorithms in docs/algorithms.md, from the registry
	$(BIN)/python -m toptwo.report.catalogue docs/algorithms.md

bench: $(READY)  ## speed: needs a C compiler
	$(BIN)/python -m benchmarks

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "toptwo needs Python 3.11 or newer: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $(READY)

clean:
	rm -rf .venv .venv-numba-* .venv-cuda out build benchmarks/build
