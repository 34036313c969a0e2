# Everything a clone needs. `make` lists the targets; every target sets the machine up first, once.

VENV := .venv
RUN := $(VENV)/bin/python
STAMP := $(VENV)/.installed
LAB := $(VENV)/.installed-lab
BROWSER := $(VENV)/.installed-browser

.DEFAULT_GOAL := help
.PHONY: help setup demo lab test lint quick gpu-test browser-test bench clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 24

setup: $(STAMP) ## virtual environment, the package with its tools, a C compiler

$(STAMP): pyproject.toml .ci/setup
	.ci/setup dev $@

$(LAB): $(STAMP)
	.ci/setup lab $@

$(BROWSER): $(STAMP)
	.ci/setup browser $@

demo: $(STAMP) ## translate notebooks/c/*.c here and now, print one table, leave out/demo.ipynb
	$(RUN) benchmarks/demo.py

lab: $(LAB) ## open JupyterLab on the notebooks
	$(VENV)/bin/jupyter lab --notebook-dir=notebooks $(if $(filter 0,$(shell id -u)),--allow-root)

lint: $(STAMP) ## ruff and mypy
	$(VENV)/bin/ruff check .
	$(VENV)/bin/mypy

test: lint ## everything that needs no GPU and no browser
	$(VENV)/bin/pytest -q -n 2 --dist worksteal -m "not gpu and not browser"

quick: $(STAMP) ## the tests that take less than ten seconds each
	$(VENV)/bin/pytest -q -n 2 -m "not gpu and not browser and not slow"

gpu-test: $(STAMP) ## the tests that need a CUDA device
	$(VENV)/bin/pytest -q -m gpu tests/gpu

browser-test: $(BROWSER) ## reports, tuner and live view as Chromium draws them, in a real JupyterLab too
	$(VENV)/bin/pytest -q -m browser

bench: $(STAMP) ## seconds to the first verified kernel; how fast the simulator runs and starts
	$(RUN) benchmarks/first_kernel.py
	$(RUN) benchmarks/simulator.py

clean: ## remove the virtual environment and everything made
	rm -rf $(VENV) out build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
