"""The demo's configuration, fitted to this run: paths, ports, windows, and what is live."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

import yaml

Config: TypeAlias = Mapping[str, Any]

TEMPLATE: Final = Path(__file__).with_name("demo.yaml")
ROUTE: Final = "scifact"
BROKEN: Final = "misaligned"


@dataclass(frozen=True, slots=True)
class Ports:
    """Where the three listeners are: public, the proxy's private one, the evaluator's."""

    public: int = 8080
    admin: int = 9400
    evaluator: int = 9401


def template() -> Config:
    """The file as it stands in the repository."""
    config: Config = yaml.safe_load(TEMPLATE.read_text())
    return config


def fitted(config: Config, state_dir: Path, ports: Ports, served_window: float) -> Config:
    """The same for one run."""
    changed = deepcopy(dict(config))
    changed["state_dir"] = str(state_dir)
    changed["server"]["port"] = ports.public
    changed["server"]["admin"]["port"] = ports.admin
    changed["evaluator"]["admin"]["port"] = ports.evaluator
    changed["evaluator"]["served_window"] = f"{served_window:.2f}s"
    return changed


def without_embedder(config: Config) -> Config:
    """The same for requests that bring their vectors: no knn leg and no reranker asks a model."""
    changed = deepcopy(dict(config))
    del changed["embedders"]
    for part in (*changed["legs"].values(), *changed["rerankers"].values()):
        part.pop("embedder", None)
    return changed


def switched(config: Config, live: str = BROKEN) -> Config:
    """The accident: `live` is what everybody gets, and nothing is compared meanwhile."""
    changed = deepcopy(dict(config))
    changed["routes"][ROUTE] |= {"live": {live: 1.0}, "shadows": {}}
    return changed


def roles(config: Config) -> tuple[tuple[str, str], ...]:
    """(pipeline, role) of the route, live first."""
    route = config["routes"][ROUTE]
    live = [(name, "live") for name in route["live"]]
    return (*live, *((name, "shadow") for name in route["shadows"] if name not in route["live"]))


def write(config: Config, path: Path) -> None:
    """Replace the file whole, so that a reload never reads half of it."""
    partial = path.with_name(f"{path.name}.partial")
    partial.write_text(yaml.dump(dict(config), Dumper=_Dumper, sort_keys=False, width=100))
    partial.replace(path)


class _Dumper(yaml.SafeDumper):
    """Writes what is used twice out twice: people edit this file."""

    def ignore_aliases(self, data: object) -> bool:
        return True
