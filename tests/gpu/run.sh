#!/bin/sh
# Runs the tests that need a GPU, on a machine that may have no network and no installed packages.
# WHEELS: a folder of unpacked wheels (numpy, tree_sitter, tree_sitter_cuda, nvidia-cuda-nvrtc, pytest ...), if any.
set -eu
cd "$(dirname "$0")/../.."
export PYTHONPATH="${WHEELS:+$WHEELS:}$PWD${PYTHONPATH:+:$PYTHONPATH}"
exec "${PYTHON:-python3}" -m pytest tests/gpu -m gpu -q -p no:cacheprovider "$@"
