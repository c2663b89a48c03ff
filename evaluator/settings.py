"""The configuration as the evaluator reads it, and what a reload may change of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from config.errors import ConfigError
from config.loader import load
from config.schema import Settings
from evaluator.rules import problems


def read(path: Path, environ: Mapping[str, str]) -> Settings:
    """The settings in `path`; raises ConfigError with the loader's problems and ours."""
    loaded = load(path, environ)
    if loaded.settings is None:
        raise ConfigError(loaded.source, loaded.problems)
    if found := (*loaded.problems, *problems(loaded.settings)):
        raise ConfigError(loaded.source, found)
    return loaded.settings


def unchangeable(old: Settings, new: Settings) -> tuple[str, ...]:
    """What differs and needs a restart, one problem each."""
    pairs = {
        "state_dir": (old.state_dir, new.state_dir),
        "server": (old.server, new.server),
        "secrets": (old.secrets, new.secrets),
        "events.redis": (old.events.redis, new.events.redis),
        "events.password_env": (old.events.password_env, new.events.password_env),
        "events.shards": (old.events.shards, new.events.shards),
        "evaluator.admin": (old.evaluator.admin, new.evaluator.admin),
    }
    changed = [name for name, (before, after) in pairs.items() if before != after]
    return tuple(f"{name}: can only change with a restart" for name in changed)
