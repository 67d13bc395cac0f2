# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""Findings, one a line, or all as one JSON object."""
import json
from dataclasses import asdict, dataclass

PASS, WARN, FAIL, UNKNOWN = "PASS", "WARN", "FAIL", "UNKNOWN"


@dataclass
class Finding:
    status: str
    check: str
    subject: str  # PCI address, or empty for the machine
    text: str
    evidence: str  # what was looked at, and what it said
    remedy: str = ""


class Report:
    def __init__(self, quiet=False):
        self.findings = []
        self.quiet = quiet

    def add(self, status, check, subject, text, evidence, remedy=""):
        """A finding that is neither PASS nor without a remedy."""
        finding = Finding(status, check, subject, text, evidence, remedy)
        self.findings.append(finding)
        if not self.quiet:
            print(self.line(finding), flush=True)

    @staticmethod
    def line(finding):
        where = f" {finding.subject}" if finding.subject else ""
        line = f"{finding.status:<7} {finding.check}{where}: {finding.text} [{finding.evidence}]"
        return f"{line}\n        -> {finding.remedy}" if finding.remedy else line

    def count(self, status):
        return sum(finding.status == status for finding in self.findings)

    def failed(self):
        return self.count(FAIL) != 0

    def finish(self, tests, skipped):
        """tests: outcome of the system tests, None where they did not run."""
        counts = {status: self.count(status) for status in (PASS, WARN, FAIL, UNKNOWN)}
        if self.quiet:
            print(json.dumps({"findings": [asdict(f) for f in self.findings], "counts": counts,
                              "tests": tests and asdict(tests)}, indent=1))
            return
        print(", ".join(f"{number} {status}" for status, number in counts.items()))
        if tests:
            print(f"system tests: {tests.summary}")
        elif skipped:
            print("system tests: not run, since a check failed")
