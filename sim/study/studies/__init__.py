"""Studies that `repose study NAME` does: each module offers one `StudyPlan`, or a tuple of them, as `STUDY`.

`repose.sim.study.plan` defines the record; this package contains the studies with their laws and statements.
"""
