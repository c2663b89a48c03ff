"""`make demo`: a real corpus, simulated users, and the services that judge what these are shown.

`collection`, `judgments` (SciFact and its truth) · `users` (who does what) · `schedule` (when) ·
`configuration` (demo.yaml for this run) · `place` (the folder) · `ports`, `services` (two
processes) · `site` (their addresses) · `stage` (all of it up) · `truth` (explain every claim) ·
`crowd` (the users over HTTP) · `performance` (the run) · `scrape`, `board`, `totals`, `checks`
(what was measured) · `table`, `narrative`, `directions`, `report` (how it is told) · `show` (the
order of things) · `options`, `run` (the process).
"""
