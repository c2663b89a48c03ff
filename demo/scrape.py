"""What a service says of itself on `/metrics`, read once and looked up by name and labels. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from prometheus_client.parser import text_string_to_metric_families


@dataclass(frozen=True, slots=True)
class Scrape:
    """Every sample of one scrape: (name, labels, value)."""

    samples: tuple[tuple[str, tuple[tuple[str, str], ...], float], ...] = ()

    def value(self, name: str, **labels: str) -> float | None:
        """The value of the first sample with these labels; None where there is none."""
        return next((value for _, value in self.having(name, **labels)), None)

    def by(self, label: str, name: str, **labels: str) -> dict[str, int]:
        """Totals of a counter by the values of one of its labels."""
        totals = dict[str, int]()
        for found, value in self.having(name, **labels):
            totals[found[label]] = totals.get(found[label], 0) + round(value)
        return totals

    def having(self, name: str, **labels: str) -> Iterator[tuple[dict[str, str], float]]:
        """(labels, value) of every sample of that name with these labels among its own."""
        for sample, pairs, value in self.samples:
            if sample == name and labels.items() <= (found := dict(pairs)).items():
                yield found, value


def read(text: str) -> Scrape:
    """Parse the Prometheus text format."""
    return Scrape(
        tuple(
            (sample.name, tuple(sample.labels.items()), float(sample.value))
            for family in text_string_to_metric_families(text)
            for sample in family.samples
        )
    )
