"""HTTP's JSON to nouns and back: `checks` (single values), `search` with `filters`, `facets` and
`shown`, `events`, `explanations` (requests), `answers`, `failures` (responses).

What a client sends is read here, within explicit bounds, before anything is asked of anybody.
"""
