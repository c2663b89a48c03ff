"""Filters: documents whose field holds one of some values, as Elasticsearch's term and terms.

On a text field a value is compared with whole terms, unanalysed, as there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import tantivy

from config.problems import problem
from proxy.backends.embedded.fields import Field
from proxy.errors import BackendRefused
from proxy.model import Exists, Filter, Range, Terms, leaves


def problems(fields: Mapping[str, Field], given: Filter) -> list[str]:
    """Why `given` can't be asked of these fields."""
    return [line for leaf in leaves(given) for line in _leaf_problems(fields, leaf)]


def _leaf_problems(fields: Mapping[str, Field], given: Terms | Range | Exists) -> list[str]:
    if given.field not in fields:
        return [problem("field", "is no field of this index", given.field, fields)]
    if not isinstance(given, Terms):
        return []
    field = fields[given.field]
    complaints = (field.complaint(value) for value in given.values)
    return [f"{given.field}: {complaint} ({field.type})" for complaint in complaints if complaint]


def check(fields: Mapping[str, Field], filters: Sequence[Filter]) -> None:
    """Raise BackendRefused for an unknown field or a value of another type than the field's."""
    if wrong := [line for given in filters for line in problems(fields, given)]:
        raise BackendRefused(f"filter: {'; '.join(wrong)}")


def clauses(
    schema: tantivy.Schema,
    stored: Mapping[str, str],
    fields: Mapping[str, Field],
    filters: Sequence[Filter],
) -> list[tuple[tantivy.Occur, tantivy.Query]]:
    """One clause a filter, required and adding nothing to a score; `stored` names tantivy's fields.

    Raises BackendRefused as `check` does.
    """
    check(fields, filters)
    found = []
    for given in filters:
        if not isinstance(given, Terms):
            raise BackendRefused(f"an embedded index has no {type(given).__name__} filter yet")
        number = fields[given.field].type == "number"
        values = [float(value) for value in given.values] if number else list(given.values)
        terms = tantivy.Query.term_set_query(schema, stored[given.field], values)
        found.append((tantivy.Occur.Must, tantivy.Query.const_score_query(terms, 0.0)))
    return found
