"""Set-up: what `make` does on a machine that lacks something, and that what it needs is written down."""

from __future__ import annotations

import os
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
NEEDED = ("bash", "dirname", "env", "id", "touch", "mkdir", "cat", "echo")


def machine(folder: Path, *tools: str, user: int = 1000) -> dict[str, str]:
    """A PATH with only these tools on it, for a user with this number."""
    binaries = folder / "bin"
    binaries.mkdir()
    for tool in (*NEEDED, *tools):
        found = shutil.which(tool)
        if found:
            (binaries / tool).symlink_to(found)
    (binaries / "id").unlink()
    (binaries / "id").write_text(f"#!{shutil.which('bash')}\necho {user}\n")
    (binaries / "id").chmod(0o755)
    return {"PATH": str(binaries), "HOME": str(folder)}


def set_up(folder: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run .ci/setup on a copy, where it can change nothing of ours."""
    copy = folder / "copy"
    (copy / ".ci").mkdir(parents=True)
    shutil.copy(ROOT / ".ci" / "setup", copy / ".ci" / "setup")
    script = str(copy / ".ci" / "setup")
    bash = shutil.which("bash") or "bash"
    return subprocess.run([bash, script, "dev", ".stamp"], capture_output=True, text=True, env=environment, cwd=copy)


def test_without_a_c_compiler_and_without_root_one_sentence_says_what_to_install(tmp_path: Path) -> None:
    done = set_up(tmp_path, machine(tmp_path, "python3"))
    assert done.returncode == 1
    assert done.stderr == "a C compiler is missing; install it, for example with: sudo apt-get install gcc\n"
    assert not (tmp_path / "copy" / ".venv").exists()


def test_without_a_python_that_is_new_enough_one_sentence_says_how_to_name_one(tmp_path: Path) -> None:
    environment = machine(tmp_path, "gcc")
    old = tmp_path / "bin" / "python3"
    old.write_text(f"#!{shutil.which('bash')}\nexit 1\n")
    old.chmod(0o755)
    done = set_up(tmp_path, environment)
    assert done.returncode == 1
    assert "Python 3.11 or newer is missing" in done.stderr and "make PYTHON=" in done.stderr


@pytest.mark.skipif(not shutil.which("make"), reason="make is not installed")
def test_make_alone_lists_every_target_that_a_person_types() -> None:
    command = ["make", "--no-print-directory"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for target in ("setup", "demo", "lab", "test", "lint", "gpu-test", "browser-test", "bench", "clean"):
        assert f"make {target} " in listed


@pytest.mark.skipif(not shutil.which("make"), reason="make is not installed")
def test_what_is_set_up_is_not_set_up_again(tmp_path: Path) -> None:
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path / name)
    shutil.copytree(ROOT / ".ci", tmp_path / ".ci")
    stamp = tmp_path / ".venv" / ".installed"
    stamp.parent.mkdir()
    stamp.touch()
    os.utime(stamp, (2**31, 2**31))
    planned = subprocess.run(["make", "-n", "setup"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert ".ci/setup" not in planned
    os.utime(stamp, (1, 1))
    planned = subprocess.run(["make", "-n", "setup"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert ".ci/setup dev" in planned


def test_continuous_integration_runs_the_tests_and_stops_at_the_first_failure() -> None:
    script = (ROOT / ".ci" / "run").read_text()
    assert "set -euo pipefail" in script and script.rstrip().endswith("make test")
    assert os.access(ROOT / ".ci" / "run", os.X_OK) and os.access(ROOT / ".ci" / "setup", os.X_OK)


def test_the_package_needs_no_gpu_library_and_no_torch() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    names = " ".join(project["dependencies"])
    assert not any(heavy in names for heavy in ("torch", "cupy", "transformers", "jupyterlab", "matplotlib"))


def test_the_licence_is_the_one_that_the_package_names() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["license"] == "Apache-2.0"
    text = (ROOT / "LICENSE").read_text()
    assert "Apache License" in text and "Version 2.0" in text and "END OF TERMS AND CONDITIONS" in text
