#!/bin/sh
# Runs what needs a GPU, on a machine that may have no network and no installed packages: the tests marked gpu, then
# the corpus of C functions, each translated as a person would.
# WHEELS: a folder of unpacked wheels (tree_sitter, tree_sitter_cuda, islpy, pycparser, ...), if any.
# CALIBRATE: 1 reads the hardware counters of the kernels in calibrate/ into OUT (out/calibrate); needs ncu.
# CORPUS: options of translate_corpus.py ("--turns 2 --jobs 8"); empty leaves the corpus out.
set -eu
cd "$(dirname "$0")/../.."
export PYTHONPATH="${WHEELS:+$WHEELS:}$PWD${PYTHONPATH:+:$PYTHONPATH}"
"${PYTHON:-python3}" -m pytest tests/gpu -m gpu -q -p no:cacheprovider "$@"
if [ -n "${CORPUS:-}" ]; then
    # shellcheck disable=SC2086
    "${PYTHON:-python3}" tests/gpu/translate_corpus.py $CORPUS
fi
if [ -n "${CALIBRATE:-}" ]; then
    PYTHONPATH="$PWD/tests/gpu:$PYTHONPATH" "${PYTHON:-python3}" -m calibrate.measure --out "${OUT:-out/calibrate}"
fi
