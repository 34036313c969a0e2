"""Translates every C file of tests/c on a CUDA device, as a person would, and prints what came of each.

    python tests/gpu/translate_corpus.py --device cuda:0 --turns 3 --jobs 12 --out results/

Each file is one `cudaperf translate` process. Exit status 1 when a verdict differs from what corpus.toml expects.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from corpus import CorpusFile, load_corpus

OF_STATUS = {0: "translate", 1: "none", 2: "refused"}


@dataclass(frozen=True)
class Row:
    file: CorpusFile
    decision: str
    seconds: float
    said: str
    turns: int = 0
    failed: int = 0  # proposals that did not verify

    @property
    def is_expected(self) -> bool:
        return self.decision in self.file.decisions


def translated(file: CorpusFile, device: str, turns: int, folder: Path) -> Row:
    target = folder / (file.path.replace("/", "-") + ".json")
    command = [sys.executable, "-m", "cudaperf_magic", "translate", str(file.file), "--device", device]
    command += ["--turns", str(turns), "--json", str(target)]
    command += ["--entry", file.entry] if file.entry else []
    for option, values in (("--size", file.size), ("--range", file.ranges)):
        for name, value in values.items():
            command += [option, f"{name}={value}"]
    started = time.monotonic()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    except subprocess.TimeoutExpired:
        return Row(file, "timeout", time.monotonic() - started, "had not ended after 240 s")
    seconds = time.monotonic() - started
    said = (done.stderr.strip().splitlines() or [""])[-1]
    if done.returncode not in OF_STATUS:
        return Row(file, f"exit {done.returncode}", seconds, said)
    if not target.exists():
        return Row(file, OF_STATUS[done.returncode], seconds, said)
    episode = json.loads(target.read_text())
    outcomes = [
        (outcome, candidate["schedule"])
        for turn in episode["turns"]
        for candidate, outcome in ((turn["candidate"], turn["outcome"]), *turn["others"])
        if outcome is not None
    ]
    bad = [(o, schedule) for o, schedule in outcomes if not (o["verdict"] and o["verdict"]["status"] == "pass")]
    first = "; ".join(f"[{s}] {(o['verdict'] or {}).get('reason') or o['build']['log']}"[:300] for o, s in bad[:2])
    return Row(file, episode["decision"], seconds, episode["kept"] or first, len(episode["turns"]), len(bad))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=8)
    parser.add_argument("--only", nargs="*", default=[], help="parts of paths, for example matmul/ dot.c")
    parser.add_argument("--out", type=Path, default=Path("out/gpu-corpus"))
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(arguments.jobs) as pool:
        wanted = arguments.only or [""]
        files = [file for file in load_corpus() if any(part in file.path for part in wanted)]
        rows = []
        for row in pool.map(lambda f: translated(f, arguments.device, arguments.turns, arguments.out), files):
            rows.append(row)
            mark = " " if row.is_expected and not row.failed else "!"
            print(f"{mark} {row.file.path:40s} {row.decision:10s} {row.seconds:5.1f} s  {row.said[:400]}", flush=True)
    expected = sum(row.is_expected for row in rows)
    tried = sum(row.failed for row in rows)
    print(f"{expected} of {len(rows)} as expected; {tried} later proposals did not verify; device {arguments.device}")
    return 0 if expected == len(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
