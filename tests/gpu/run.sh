#!/bin/sh
# Runs what needs a GPU, on a machine that may have no network and no installed packages: the tests marked gpu, then
# whatever else is asked for by a variable; each holds the command's options ("--tasks 16"), and empty leaves it out.
# WHEELS: a folder of unpacked wheels (tree_sitter, tree_sitter_cuda, islpy, pycparser, ...), if any.
# EVALUATE, TIMING, SOAK, FUNCTIONS, MUTATION: benchmarks/evaluate.py, timing.py, soak.py, c_functions.py, mutation.py.
# CORPUS: translate_corpus.py, every C file of the tests as a person would.
# CALIBRATE: 1 reads the hardware counters of the kernels in calibrate/ into OUT (out/calibrate); needs ncu.
# TESTS: which tests; by default all of tests/gpu. Empty: none.
set -eu
cd "$(dirname "$0")/../.."
export PYTHONPATH="${WHEELS:+$WHEELS:}$PWD${PYTHONPATH:+:$PYTHONPATH}"
python="${PYTHON:-python3}"
status=0
run() { # a failure is told at the end, after all that was asked for has run
    echo "== $*"
    "$@" || status=$?
}
# shellcheck disable=SC2086
{
    [ -z "${TESTS-tests/gpu}" ] || run "$python" -m pytest ${TESTS-tests/gpu} -m gpu -q -p no:cacheprovider "$@"
    [ -z "${EVALUATE:-}" ] || run "$python" benchmarks/evaluate.py $EVALUATE
    [ -z "${TIMING:-}" ] || run "$python" benchmarks/timing.py $TIMING
    [ -z "${SOAK:-}" ] || run "$python" benchmarks/soak.py $SOAK
    [ -z "${FUNCTIONS:-}" ] || run "$python" benchmarks/c_functions.py $FUNCTIONS
    [ -z "${MUTATION:-}" ] || run "$python" benchmarks/mutation.py $MUTATION
    [ -z "${CORPUS:-}" ] || run "$python" tests/gpu/translate_corpus.py $CORPUS
}
if [ -n "${CALIBRATE:-}" ]; then
    PYTHONPATH="$PWD/tests/gpu:$PYTHONPATH" run "$python" -m calibrate.measure --out "${OUT:-out/calibrate}"
fi
exit "$status"
