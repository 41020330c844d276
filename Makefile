PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP_INSTALL = -m pip install --quiet --disable-pip-version-check -c constraints.txt
# modules are compiled once, when first imported
unexport PYTHONDONTWRITEBYTECODE
# many processes and much time: run with the faults
SLOW_TESTS = tests/cluster tests/e2e/test_cached_models.py tests/test_notebooks.py
# e.g. TORCH_INDEX=https://download.pytorch.org/whl/cpu: torch without CUDA packages
TORCH_INDEX ?=
TORCH = $(if $(TORCH_INDEX),--extra-index-url $(TORCH_INDEX))
# uv takes a quarter of the time; pip where only pip is configured for the network
EXTRA_OF_offline = offline
EXTRA_OF_installed = dev
INSTALL = $(BIN)/uv pip install --quiet --python $(1)/bin/python -c constraints.txt $(2) || $(1)/bin/python $(PIP_INSTALL) $(2)

.PHONY: demo test test-core check dist docs measurements faults audit clean

# what a demo needs, unless everything for tests is there
demo: $(or $(wildcard $(VENV)/installed),$(VENV)/offline)
	HF_HUB_OFFLINE=1 $(BIN)/arag-inspect demo

test: $(VENV)/installed
	HF_HUB_OFFLINE=1 $(BIN)/python -m pytest -n 3 --dist loadscope --no-loadscope-reorder $(SLOW_TESTS:%=--ignore=%)

# the core and what the example of a gate installs, each in an environment of its own
test-core: $(VENV)/installed build/core/installed build/example/installed
	$(call INSTALL,build/core,--force-reinstall --no-deps .)
	$(call INSTALL,build/example,--force-reinstall --no-deps .)
	HF_HUB_OFFLINE=1 ARAG_CORE=build/core ARAG_EXAMPLE=build/example $(BIN)/python -m pytest tests/installed -n 2

# the fast part on each Python of 3.11 to 3.14 that is found here
test-versions: $(VENV)/installed
	BIN=$(abspath $(BIN)) .ci/test-versions

check: $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/inspect-evals-lint benchmarks

# wheel and sdist, and whether the wheel works where nothing of the repository is
dist: $(VENV)/installed
	rm -rf dist build/wheel
	$(BIN)/python -m build --no-isolation
	$(BIN)/twine check --strict dist/*
	$(BIN)/python -m venv build/wheel
	build/wheel/bin/pip install --quiet --disable-pip-version-check --no-deps dist/*.whl
	cd build && wheel/bin/python -c "from importlib.resources import files; print(files('arag_inspect').joinpath('prompts/judge/accuracy.md').read_text()[:40])"

docs: $(VENV)/installed
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet
	@echo "Open build/site/index.html"

measurements: $(VENV)/installed
	HF_HUB_OFFLINE=1 $(BIN)/python -m measurements

faults: $(VENV)/installed
	HF_HUB_OFFLINE=1 ARAG_FAULTS=quick $(BIN)/python -m pytest tests/faults $(SLOW_TESTS) -n 3

# known vulnerabilities of the pinned packages; needs a network
audit:
	$(PYTHON) -m venv build/audit
	build/audit/bin/pip install --quiet --disable-pip-version-check pip-audit
	build/audit/bin/pip-audit --strict --requirement constraints.txt --no-deps --disable-pip

# pip for torch, of which it takes the build at TORCH_INDEX or in a configured folder
$(VENV)/offline $(VENV)/installed: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python $(PIP_INSTALL) --no-compile $(TORCH) torch uv
	$(call INSTALL,$(VENV),-e '.[$(EXTRA_OF_$(@F))]')
	touch $@

build/core/installed: pyproject.toml constraints.txt | $(VENV)/installed
	test -x build/core/bin/python || $(BIN)/python -m venv build/core
	$(call INSTALL,build/core,.)
	touch $@

build/example/installed: pyproject.toml constraints.txt examples/github-actions-gate.yml | $(VENV)/installed
	test -x build/example/bin/python || $(BIN)/python -m venv build/example
	build/example/bin/python $(PIP_INSTALL) --no-compile $(TORCH) torch
	$(call INSTALL,build/example,$$(sed -n "s/.*pip install.* '\(\.\[.*\]\)'$$/\1/p" examples/github-actions-gate.yml))
	touch $@

clean:
	rm -rf $(VENV) build/core build/example build/python3.* .mypy_cache .ruff_cache .pytest_cache .hypothesis
