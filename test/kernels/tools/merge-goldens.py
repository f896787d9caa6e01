#!/usr/bin/env python3
"""Writes the results that golden.py recorded into the case files: `expect` per buffer, `golden` per case.

Usage: merge-goldens.py goldens.json
Refuses a result if the PTX or inputs of the case file have changed, or if it differs from the
result that the case's table states.
"""

import hashlib
import json
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent.parent


def stale(case, folder, recorded):
    ptx = hashlib.sha256((folder / case["ptx"]).read_bytes()).hexdigest()
    inputs = {p["name"]: p.get("data", p.get("value")) for p in case["params"]}
    return ptx != recorded["ptxSha256"] or hashlib.sha256(json.dumps(inputs).encode()).hexdigest() != recorded["inputsSha256"]


def differing(case, recorded):
    """Returns the buffers whose stated results differ. A recorded case states no results."""
    if "golden" in case:
        return []
    return [p["name"] for p in case["params"] if "expect" in p and p["expect"] != recorded["expect"].get(p["name"])]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    bundle = json.loads(pathlib.Path(sys.argv[1]).read_text())
    merged, refused, different = 0, [], []
    for id, recorded in bundle["cases"].items():
        path = FOLDER / f"{id}.json"
        case = json.loads(path.read_text()) if path.exists() else None
        if case is None or stale(case, FOLDER, recorded):
            refused.append(id)
            continue
        if differing(case, recorded):
            different.append(f"{id}: {', '.join(differing(case, recorded))}: other results than the table states")
            continue
        for param in case["params"]:
            param.pop("expect", None)
            if param["name"] in recorded["expect"]:
                param["expect"] = recorded["expect"][param["name"]]
        case.pop("prints", None)
        if "prints" in recorded:
            case["prints"] = recorded["prints"]
        case["golden"] = {
            "gpu": bundle["gpu"], "driver": bundle["driver"], "date": bundle["date"], "ptxSha256": recorded["ptxSha256"],
        }
        path.write_text(json.dumps(case, separators=(",", ":")).replace('{"name"', '\n{"name"') + "\n")
        merged += 1
    print(f"{merged} merged")
    for id in refused:
        print(f"{id}: recorded from another version of the case; record it again")
    for line in different:
        print(line)
    for id, error in bundle["errors"].items():
        print(f"{id}: failed when recorded: {error}")
    return 1 if refused or different or bundle["errors"] else 0


sys.exit(main())
