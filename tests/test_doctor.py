"""The doctor: each row is tried for real, and what is missing comes with the command that mends it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from cudaperf_magic import doctor
from cudaperf_magic.bench import machine, nvrtc
from cudaperf_magic.bench.machine import Finding
from cudaperf_magic.cli import main
from cudaperf_magic.errors import ToolchainError


@pytest.fixture(autouse=True)
def own_places(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CUDAPERF_STORE", str(tmp_path / "episodes.db"))
    monkeypatch.setenv("CUDAPERF_CACHE", str(tmp_path / "cache"))


def compiler(folder: Path, script: str) -> str:
    path = folder / "my-cc"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


def test_a_working_c_compiler_is_named_by_its_path() -> None:
    found = machine.c_compiler()
    assert found.state == "ok" and "compiled, linked and ran a function" in found.detail


def test_without_a_c_compiler_the_command_that_installs_one_is_given(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    found = machine.c_compiler()
    assert found.state == "missing" and found.remedy.startswith("sudo apt-get install gcc")


def test_a_compiler_that_is_there_but_fails_is_missing_with_its_own_words(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CC", compiler(tmp_path, "echo 'cannot find crti.o' >&2; exit 1"))
    found = machine.c_compiler()
    assert found.state == "missing" and "cannot find crti.o" in found.detail


def test_a_compiler_whose_code_is_wrong_is_found_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    real = shutil.which("gcc") or shutil.which("cc")
    script = f'sed s/1/2/ | {real} "$@"'
    monkeypatch.setenv("CC", compiler(tmp_path, script))
    assert machine.c_compiler().detail.endswith("compiles wrongly")


def test_nvrtc_is_tried_past_its_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    assert machine.nvrtc().state == "ok"

    def gone(*_: object) -> None:
        raise ToolchainError("NVRTC is not installed; pip install it")

    monkeypatch.setattr(nvrtc, "_compile", gone)
    found = machine.nvrtc()
    assert found.state == "missing" and "pip install nvidia-cuda-nvrtc" in found.remedy


def test_a_machine_without_a_driver_is_fit_for_the_simulator(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "_driver", lambda: None)
    found = machine.gpu()
    assert found.state == "optional" and "kernels run on the simulator" in found.detail


class Driver:
    """A CUDA driver with one device."""

    def __init__(self, status: int = 0, devices: int = 1) -> None:
        self.status, self.devices = status, devices

    def cuInit(self, _: int) -> int:
        return self.status

    def cuDeviceGetCount(self, count: object) -> int:
        count._obj.value = self.devices  # type: ignore[attr-defined]
        return 0

    def cuDriverGetVersion(self, version: object) -> int:
        version._obj.value = 13020  # type: ignore[attr-defined]
        return 0

    def cuDeviceGetName(self, text: object, _: int, index: int) -> int:
        text.value = b"Device %d" % index  # type: ignore[attr-defined]
        return 0


def test_devices_are_named_as_the_option_names_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "_driver", lambda: Driver(devices=2))
    found = machine.gpu()
    assert (found.state, found.detail) == ("ok", "cuda:0 Device 0, cuda:1 Device 1; driver for CUDA 13.2")


@pytest.mark.parametrize(("driver", "said"), [(Driver(status=999), "error 999"), (Driver(devices=0), "sees no device")])
def test_a_driver_without_a_usable_device_is_told(monkeypatch: pytest.MonkeyPatch, driver: Driver, said: str) -> None:
    monkeypatch.setattr(machine, "_driver", lambda: driver)
    found = machine.gpu()
    assert found.state == "optional" and said in found.detail


def test_a_package_that_breaks_on_import_is_not_called_installed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "broken_thing.py").write_text("raise OSError('libcudart.so.99: cannot open')")
    monkeypatch.syspath_prepend(tmp_path)
    found = machine.package("broken-thing", "broken_thing", "does things", "pip install it")
    assert found.state == "optional" and "cannot be imported: libcudart.so.99" in found.detail
    assert machine.package("nothing-there", "nothing_there", "does things", "pip install it").state == "optional"


def test_a_store_that_cannot_be_written_is_missing_with_its_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDAPERF_STORE", "/proc/nowhere/episodes.db")
    found = doctor.store()
    assert found.state == "missing" and "CUDAPERF_STORE" in found.remedy


def test_the_command_ends_with_one_when_something_needed_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["doctor"]) == 0
    assert "Everything needed is here." in capsys.readouterr().out
    gone = Finding("C compiler", "missing", "none", "sudo apt-get install gcc")
    monkeypatch.setattr(machine, "c_compiler", lambda: gone)
    assert main(["doctor"]) == 1
    out = capsys.readouterr().out
    assert "Missing: C compiler." in out and "sudo apt-get install gcc" in out


def test_the_diagnosis_shows_itself_in_a_notebook() -> None:
    diagnosis = doctor.Diagnosis((Finding("GPU", "optional", "no <driver>", "install it"),))
    bundle = diagnosis._repr_mimebundle_()
    assert diagnosis.is_ready
    assert "no &lt;driver&gt;" in bundle["text/html"] and "no <driver>" in bundle["text/plain"]
