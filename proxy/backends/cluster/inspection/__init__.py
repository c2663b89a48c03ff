"""What `check --backends` asks a cluster.

`mapping` (the fields of indices) · `judging` (what is read against them) · `sentences` (failures
with their remedies) · `asking` (what is asked, and in which order)
"""
