"""Validates plan files against the published schema: check_schema.py SCHEMA CLI MODEL..."""
import json
import pathlib
import subprocess
import sys
import tempfile

try:
    from jsonschema import Draft202012Validator
except ImportError:
    print("python3-jsonschema (with 2020-12) is not installed")
    sys.exit(77)

schema = json.loads(pathlib.Path(sys.argv[1]).read_text())
Draft202012Validator.check_schema(schema)
validator = Draft202012Validator(schema)
with tempfile.TemporaryDirectory() as folder:
    for model in sys.argv[3:]:
        out = pathlib.Path(folder) / "plan.cleave.json"
        subprocess.run([sys.argv[2], "plan", model, "--out", out], check=True, stdout=subprocess.DEVNULL)
        plan = json.loads(out.read_text())
        validator.validate(plan)
        # With costs: estimated, so that any model does.
        for planner in ("optimal", "node-wise") if model in sys.argv[3:6] else ():
            subprocess.run([sys.argv[2], "plan", model, "--nodes", "1000", "--edges", "5000", "--batch-size", "100", "--planner", planner, "--out", out],
                           check=True, stdout=subprocess.DEVNULL)
            validator.validate(json.loads(out.read_text()))
        plan["functions"][0]["before"] = ["linear"]
        assert not validator.is_valid(plan), "a plan with ops as plain names must not pass"
print(f"{len(sys.argv) - 3} plans are valid")
