# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""total.py FAILED-RUNS JUNIT.XML...: prints 'N passed, N failed[, N skipped]' over all files.
FAILED-RUNS is the number of test programs that ended with an error: one that no report explains, a
crash after the last test say, counts as a failure. Exits with 1 if any failed or none ran."""
import sys
import xml.etree.ElementTree as ElementTree


def outcomes(path):
    """('passed' | 'failed' | 'skipped') of every test case."""
    for case in ElementTree.parse(path).iter("testcase"):
        children = {child.tag for child in case}
        if children & {"failure", "error"}:
            yield "failed"
        else:
            yield "skipped" if "skipped" in children else "passed"


counts = {"passed": 0, "failed": 0, "skipped": 0}
reports_with_failures = 0
for report in sys.argv[2:]:
    try:
        of_report = list(outcomes(report))
    except (OSError, ElementTree.ParseError) as error:
        print(f"{report}: {error}", file=sys.stderr)
        of_report = ["failed"]
    for outcome in of_report:
        counts[outcome] += 1
    reports_with_failures += "failed" in of_report
counts["failed"] += max(0, int(sys.argv[1]) - reports_with_failures)
line = f"{counts['passed']} passed, {counts['failed']} failed"
if counts["skipped"]:
    line += f", {counts['skipped']} skipped"
print(line)
sys.exit(1 if counts["failed"] or not counts["passed"] else 0)
