PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP_INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
# modules are compiled once, when first imported
unexport PYTHONDONTWRITEBYTECODE
# e.g. TORCH_INDEX=https://download.pytorch.org/whl/cpu: torch without CUDA packages
TORCH_INDEX ?=

.PHONY: demo test check dist docs benchmarks faults audit clean

demo: $(VENV)/installed
	HF_HUB_OFFLINE=1 $(BIN)/arag-inspect demo

test: $(VENV)/installed
	HF_HUB_OFFLINE=1 $(BIN)/python -m pytest -n 2 --dist loadscope --no-loadscope-reorder

check: $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/inspect-evals-lint tasks

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

benchmarks: $(VENV)/installed
	HF_HUB_OFFLINE=1 $(BIN)/python -m benchmarks

faults: $(VENV)/installed
	HF_HUB_OFFLINE=1 $(BIN)/python -m benchmarks.faults --quick

# known vulnerabilities of the pinned packages; needs a network
audit:
	$(PYTHON) -m venv build/audit
	build/audit/bin/pip install --quiet --disable-pip-version-check pip-audit
	build/audit/bin/pip-audit --strict --requirement constraints.txt --no-deps --disable-pip

# pip for torch, of which it takes the build at TORCH_INDEX or in a configured folder; uv for the
# rest, which takes it a quarter of the time, or pip where only pip is configured for the network
$(VENV)/installed: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP_INSTALL) --no-compile $(if $(TORCH_INDEX),--extra-index-url $(TORCH_INDEX)) torch uv
	$(BIN)/uv pip install --quiet --python $(BIN)/python -c constraints.txt -e '.[dev]' || $(PIP_INSTALL) -e '.[dev]'
	touch $@

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
