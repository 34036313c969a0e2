"""A real JupyterLab for browser tests: started on a notebook in a folder of its own, opened in headless Chromium."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

ROOT = Path(__file__).parent.parent
START_S = 60.0
CELL_MS = 60_000
KERNEL = {
    "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
    "language_info": {"name": "python"},
}
# The blocking dialog and the toasts of a first start.
OVERRIDES = {
    "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False},
    "@jupyterlab/docmanager-extension:plugin": {"autosave": False},
}


@contextmanager
def chromium() -> Iterator[Any]:
    """Headless Chromium; the test is skipped where there is none."""
    found = shutil.which("chromium") or shutil.which("google-chrome")
    if not found:
        pytest.skip("there is no Chromium on the PATH")
    playwright = pytest.importorskip("playwright.sync_api")
    arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=found, args=arguments)
        yield browser
        browser.close()


@contextmanager
def lab(folder: Path, cells: Sequence[str], *, dark: bool = False, store: Path | None = None) -> Iterator[str]:
    """A server on a notebook of these cells; gives the address that opens it."""
    pytest.importorskip("jupyterlab")
    notebook = new_notebook(cells=[new_code_cell(source) for source in cells], metadata=KERNEL)
    (folder / "work").mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, folder / "work" / "page.ipynb")
    theme = {"@jupyterlab/apputils-extension:themes": {"theme": "JupyterLab Dark" if dark else "JupyterLab Light"}}
    settings = folder / "settings"
    settings.mkdir(exist_ok=True)
    (settings / "overrides.json").write_text(json.dumps(OVERRIDES | theme))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    own = {name: str(folder / name) for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")}
    environment = (
        os.environ
        | own
        | {
            "CUDAPERF_STORE": str(store or folder / "episodes.db"),
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        }
    )
    words = [
        sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", f"--port={port}",
        "--ServerApp.port_retries=0", "--IdentityProvider.token=",
        "--ServerApp.disable_check_xsrf=True", f"--ServerApp.root_dir={folder / 'work'}",
        f"--LabApp.app_settings_dir={settings}", f"--LabApp.user_settings_dir={folder / 'user'}",
        f"--LabApp.workspaces_dir={folder / 'workspaces'}",
    ]  # fmt: skip
    log = (folder / "lab.log").open("w")
    server = subprocess.Popen(words, env=environment, stdout=log, stderr=log, start_new_session=True)
    try:
        _wait_for(f"http://127.0.0.1:{port}/api", server, folder / "lab.log")
        yield f"http://127.0.0.1:{port}/lab/tree/page.ipynb?reset"
    finally:
        server.terminate()
        try:
            server.wait(15)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()
        log.close()


def _wait_for(address: str, server: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + START_S
    while time.monotonic() < until and server.poll() is None:
        try:
            with urllib.request.urlopen(address, timeout=2):
                return
        except OSError:
            time.sleep(0.2)
    pytest.fail(f"JupyterLab did not start:\n{log.read_text()[-2000:]}")


def opened(browser: Any, address: str, width_px: int = 1000) -> Any:
    """The notebook's page once its kernel is idle; `page.faults` collects what the console complained of."""
    page = browser.new_page(viewport={"width": width_px, "height": 1000})
    page.faults = []
    page.on("pageerror", lambda error: page.faults.append(str(error)))
    page.goto(address)
    page.wait_for_selector(".jp-Notebook .jp-CodeCell", timeout=CELL_MS)
    page.wait_for_selector(".jp-Notebook-ExecutionIndicator[data-status=idle]", timeout=CELL_MS)
    return page


def run_cell(page: Any, number: int) -> Any:
    """Run a cell and wait until it has ended; returns its locator."""
    cell = page.locator(".jp-Notebook .jp-CodeCell").nth(number)
    cell.locator(".cm-content").first.click()
    for _ in range(10):  # a front end that is not connected to its kernel yet forgets what it is asked
        page.keyboard.press("Control+Enter")
        try:
            _wait_for_prompt(page, number, r"\[(\*|\d+)\]", 3_000)
            break
        except Exception as late:
            if type(late).__name__ != "TimeoutError":
                raise
    _wait_for_prompt(page, number, r"\[\d+\]", CELL_MS)
    return cell


def _wait_for_prompt(page: Any, number: int, pattern: str, timeout_ms: int) -> None:
    script = (
        "([n, pattern]) => new RegExp(pattern).test(document.querySelectorAll('.jp-Notebook .jp-CodeCell')[n]"
        ".querySelector('.jp-InputPrompt').textContent)"
    )
    page.wait_for_function(script, arg=[number, pattern], timeout=timeout_ms)


def save(page: Any) -> None:
    """Save the notebook and wait until it is on the disk."""
    with page.expect_response(lambda answer: answer.request.method == "PUT" and "page.ipynb" in answer.url):
        page.keyboard.press("Control+s")
