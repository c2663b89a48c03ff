from __future__ import annotations

import json
import logging
import subprocess
import sys
from pathlib import Path

from config.logs import JsonFormatter


def line(record: logging.LogRecord) -> dict[str, object]:
    read = json.loads(JsonFormatter().format(record))
    assert isinstance(read, dict)
    return read


def test_extra_stands_beside_the_event():
    """
    A line is a constant event and what varies, as JSON.
    """
    record = logging.makeLogRecord({"msg": "leg failed", "levelname": "WARNING", "leg": "bm25"})

    said = line(record)

    assert ("leg failed", "warning", "bm25") == (said["event"], said["level"], said["leg"])


def test_an_exception_is_told_without_its_message():
    """
    A message may quote what a user typed; type and place may not.
    """
    try:
        raise ValueError("what the user typed")
    except ValueError:
        record = logging.makeLogRecord({"msg": "request failed", "exc_info": sys.exc_info()})

    said = line(record)

    assert "ValueError" == said["error"]
    assert "what the user typed" not in json.dumps(said)
    assert "test_logs.py" in str(said["frames"])


def test_what_json_does_not_know_is_told_as_text():
    """
    No extra makes logging fail.
    """
    assert "a/b" == line(logging.makeLogRecord({"msg": "x", "where": Path("a", "b")}))["where"]


def test_configure_writes_to_stderr():
    """
    Standard output stays free for results.
    """
    code = "import logging; from config.logs import configure; configure('info'); "
    code += "logging.getLogger('a').info('hello'); logging.getLogger('a').debug('unheard')"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)

    assert b"" == done.stdout
    assert ["hello"] == [json.loads(each)["event"] for each in done.stderr.splitlines()]
