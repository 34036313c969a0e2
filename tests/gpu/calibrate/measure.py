"""Reads the hardware counters of every case on a CUDA device and writes them, with what came out, as one JSON file.

    python -m calibrate.measure --out FOLDER [--builds FOLDER] [--only WORD...]

FOLDER then holds counters.json (what the comparison reads), counters.csv (as ncu wrote it) and outputs.npz. Needs
Nsight Compute (`ncu`) and the right to read counters. Clocks are left as they are; caches are flushed before each pass.
"""

from __future__ import annotations

import argparse
import datetime
import json
import shutil
import subprocess
import sys
from pathlib import Path

from cudaperf_magic.bench.gpu.running import device_info

from .counters import NOT_LISTED, Record, metrics, read_counters
from .launch_all import selected

LAUNCH_ALL = [sys.executable, "-m", "calibrate.launch_all"]
LIMIT_S = 420


def find_ncu() -> str:
    found = shutil.which("ncu") or next(
        (str(p) for p in sorted(Path("/opt/nvidia/nsight-compute").glob("*/ncu"), reverse=True)), None
    )
    if found is None:
        sys.exit("ncu, the command line of Nsight Compute, is not installed; it comes with the CUDA toolkit")
    return found


def known_metrics(ncu: str, out: Path) -> set[str]:
    said = subprocess.run([ncu, "--query-metrics"], capture_output=True, text=True, check=False).stdout
    (out / "metrics.txt").write_text(said)
    return {line.split()[0] for line in said.splitlines() if "__" in line.split(" ")[0]}


def profile(ncu: str, wanted: list[str], out: Path, builds: Path | None, only: list[str]) -> list[tuple[str, Record]]:
    log = out / "counters.csv"
    command = [ncu, "--csv", "--page", "raw", "--print-units", "base", "--print-metric-instances", "details"]
    command += ["--clock-control", "none", "--cache-control", "all", "--log-file", str(log), "--force-overwrite"]
    command += ["--metrics", ",".join(wanted), *LAUNCH_ALL]
    command += (["--builds", str(builds)] if builds else []) + (["--only", *only] if only else [])
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=LIMIT_S)
        print(done.stdout[-2000:], done.stderr[-2000:], flush=True)
    except subprocess.TimeoutExpired:
        print(f"ncu had not ended after {LIMIT_S} s", flush=True)
    text = log.read_text() if log.exists() else ""
    print(text[:1500], flush=True)
    return read_counters(text)


def counted(ncu: str, wanted: list[str], options: argparse.Namespace, expected: int) -> list[tuple[str, Record]]:
    """Tries again without the metrics that this ncu does not know, at last with the hardware's own only."""
    for _ in range(4):
        rows = profile(ncu, wanted, options.out, options.builds, options.only)
        if len(rows) == expected:
            return rows
        log = (options.out / "counters.csv").read_text()
        unknown = {m for m in wanted if any(m in line for line in log.splitlines() if line.startswith("==ERROR=="))}
        unknown = unknown or {m for m in wanted if m.startswith(NOT_LISTED) and not m.startswith("launch__")}
        print(f"{len(rows)} kernels were counted of {expected}; once more without {sorted(unknown)}", flush=True)
        wanted = [m for m in wanted if m not in unknown]
    sys.exit(f"{len(rows)} kernels were counted, {expected} were launched; see counters.csv")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--builds", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--only", nargs="*", default=[])
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    ncu, cases = find_ncu(), selected(options.only)
    plain = [*LAUNCH_ALL, "--out", str(options.out)]
    plain += ["--builds", str(options.builds)] if options.builds else []
    subprocess.run([*plain, *(["--only", *options.only] if options.only else [])], check=True)
    wanted = metrics(known_metrics(ncu, options.out))
    rows = counted(ncu, wanted, options, len(cases))
    outputs = json.loads((options.out / "outputs.json").read_text())
    version = subprocess.run([ncu, "--version"], capture_output=True, text=True, check=False).stdout.strip()
    device = device_info(0)
    record = {
        "device": device.name,
        "multiprocessors": device.multiprocessors,
        "driver": device.driver,
        "ncu": version.splitlines()[-1] if version else "",
        "date": datetime.date.today().isoformat(),
        "cases": {
            case.name: {"kernel": kernel, "counters": counters, **outputs[case.name]}
            for case, (kernel, counters) in zip(cases, rows, strict=True)
        },
    }
    (options.out / "counters.json").write_text(json.dumps(record, indent=1))
    print(f"{len(rows)} kernels counted")
    return 0


if __name__ == "__main__":
    sys.exit(main())
