"""What is packed and installed."""

import importlib.metadata
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
OURS = ("engine", "hardware", "drivers", "firmware")


def test_no_other_distribution_has_a_package_of_our_names():
    """Plain package names are safe only as long as nothing else in the environment uses them."""
    packages = importlib.metadata.packages_distributions()
    for name in OURS:
        assert set(packages.get(name, [])) <= {"twentytwo-table"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The names of all files in the built wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=120)
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as archive:
        return set(archive.namelist())


def test_the_wheel_holds_all_that_runs_and_nothing_else(wheel):
    """Every file of the four packages is in the wheel; tests, docs and caches are not."""
    tracked = subprocess.run(
        ["git", "ls-files", *OURS], cwd=ROOT, check=True, capture_output=True, text=True, timeout=60
    ).stdout.split()
    packed = {name for name in wheel if ".dist-info/" not in name}
    assert packed >= set(tracked)
    assert {name.split("/")[0] for name in packed} == set(OURS)
    assert not [name for name in packed if "__pycache__" in name or name.endswith(".pyc")]


def test_the_wheel_cannot_be_uploaded():
    """The distribution says that it is private."""
    assert "Private :: Do Not Upload" in importlib.metadata.metadata("twentytwo-table").get_all("Classifier")
