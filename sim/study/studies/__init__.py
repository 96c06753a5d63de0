"""Studies that `repose study NAME` does: each module offers one `StudyPlan`, or a tuple of them, as `STUDY`.

What a study is made of is in `repose.sim.study.plan`; here are only the records and their laws and statements.
"""
