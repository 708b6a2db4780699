"""audit.py - the log: rows are words, coded in field_audit.py."""

import tools
from tools import known_only

ROW_KEYS = {"id", "ref", "url", "kind", "area", "class", "symptom", "input",
            "right", "expect"}


class Area:
    def __init__(self, toolbox):
        self.tools = toolbox

    def check(self, row):
        known_only(row, ROW_KEYS, "row")
        tools.coded("audit", row, self)
