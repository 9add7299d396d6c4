"""What the tests of the client share."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import servers


@pytest.fixture
def demo(tmp_path):
    """The command of a server on this package."""
    return servers.written(tmp_path, "demo.py", servers.DEMO)


@pytest.fixture
def raw(tmp_path):
    """The command of a server of the legacy era in plain Python."""
    return servers.written(tmp_path, "raw.py", servers.RAW)
