"""The periodic service: the event log -> measures -> intervals -> Prometheus.

A round does I/O in its first and its last step; between, it is a function of records and sums:
`store` reads stream entries -> `open_impressions` says what they change (`joining`: which events
count; `grading`: what they are worth) -> `fold` turns that into `sums` (`scoring`: a row of
measures per list; `weights`: the bootstrap's) in the cells of a `state` -> `store` commits them
with the position, and `qrels` along with them -> `snapshot` estimates (`stats`, `latency`) ->
`metrics` exports.
"""
