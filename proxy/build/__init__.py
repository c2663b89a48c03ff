"""The composition root: a configuration becomes a plan of values and recipes, nothing opened.

`making` makes one part, `parts` all of them, `pipelines` and `routes` put them together and
`versions` says what makes two pipelines the same.
"""

from __future__ import annotations

from typing import Final

from config.errors import ConfigError
from config.loader import Loaded
from proxy.backends.registry import BACKENDS
from proxy.build.parts import Registries, gather
from proxy.build.pipelines import assemble
from proxy.build.routes import plan_routes
from proxy.build.using import Used
from proxy.embedders.registry import EMBEDDERS
from proxy.fusion import FUSIONS
from proxy.legs import LEGS
from proxy.plan import Plan
from proxy.rerankers.registry import RERANKERS

SHIPPED: Final = Registries(BACKENDS, EMBEDDERS, RERANKERS, LEGS, FUSIONS)
"""The parts that come with shadowrank."""


def build(loaded: Loaded, registries: Registries = SHIPPED) -> Plan:
    """The plan that the configuration comes to.

    Raises one ConfigError with every problem: those of the file and those of its parts.
    """
    settings = loaded.settings
    if settings is None:
        raise ConfigError(loaded.source, loaded.problems)
    parts = gather(loaded, settings, registries)
    pipelines, pipeline_problems = assemble(loaded, settings, parts, registries.fusions)
    routes, route_problems = plan_routes(loaded, settings, parts, pipelines)
    used = Used.by(settings, parts)
    problems = (
        *loaded.problems,
        *parts.problems,
        *pipeline_problems,
        *route_problems,
        *used.problems(parts.faults),
        *used.problems(loaded.unset),
    )
    if problems:
        raise ConfigError(loaded.source, problems)
    return Plan(
        settings,
        used.of("backends", parts.backends),
        used.of("embedders", parts.embedders),
        used.of("rerankers", parts.rerankers),
        pipelines,
        routes,
    )
