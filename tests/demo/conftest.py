"""What several tests of the demo look at."""

from __future__ import annotations

import pytest

from tests.demo.finished import Finished, play


@pytest.fixture(scope="session")
def finished(redis_server: str, tmp_path_factory: pytest.TempPathFactory) -> Finished:
    """One short run of the whole demo."""
    return play(tmp_path_factory.mktemp("demo"))
