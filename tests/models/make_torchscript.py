"""Writes the models of the zoo as TorchScript: torchscript/NAME.trace.pt and NAME.script.pt, with the weights and inputs of zoo/NAME.npz.

    python3 make_torchscript.py [FOLDER [NAME ...]]

Needs PyTorch >= 2.8 and PyTorch Geometric. Models whose inputs are dictionaries (several node types) are left out: a trace has one tensor for each
input. index.json says what is expected of each file.
"""

import json
import pathlib
import sys
import warnings
import zipfile

import numpy as np
import torch
import torch_geometric

import make_models


WITH_SOURCES = ("gcn", "sage_mean", "gat")
WIDTHS = {"agnn": 12, "lgconv": 12, "appnp": 12, "deep_appnp": 12, "gated_graph": 12, "sgc": 12, "ssg": 12}  # scripts that run with any


def deflate(path, keep_sources):
    """Packs the archive's entries; of most files without the lines of Python that their operators come from."""
    with zipfile.ZipFile(path) as archive:
        entries = [(info.filename, archive.read(info)) for info in archive.infolist()
                   if keep_sources or not info.filename.endswith(".debug_pkl")]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for filename, content in entries:
            archive.writestr(zipfile.ZipInfo(filename), content, zipfile.ZIP_DEFLATED)


def write(folder, name, kind, make):
    path = folder / f"{name}.{kind}.pt"
    try:
        with torch.no_grad():
            module = make()
        module.save(str(path))
        deflate(path, name in WITH_SOURCES)
        return True
    except Exception as problem:
        print(f"{name}: {kind}: {type(problem).__name__}: {(str(problem).strip().splitlines() or [''])[0][:140]}")
        path.unlink(missing_ok=True)
        return False


def main():
    warnings.filterwarnings("ignore")
    torch_geometric.backend.use_segment_matmul = False
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "torchscript")
    folder.mkdir(exist_ok=True, parents=True)
    inputs, chosen = make_models.make_inputs(), sys.argv[2:]
    files = [entry for entry in json.loads((folder / "index.json").read_text()) if entry["zoo"] not in chosen] if chosen else []
    roles = {entry["name"]: entry["roles"] for entry in json.loads((make_models.OUT / "index.json").read_text()) if "roles" in entry}
    for name, make in make_models.ZOO.items():
        if chosen and name not in chosen or name in make_models.REFUSED:
            continue
        torch.manual_seed(11)
        try:
            model = make().eval()
            make_models.randomise_statistics(model, torch.Generator().manual_seed(5))
            known = np.load(make_models.OUT / f"{name}.npz")
            given = {n: t for n, t in make_models.arguments(model, inputs).items() if n in known}
        except Exception as problem:
            print(f"{name}: {problem}")
            continue
        if any(not isinstance(tensor, torch.Tensor) for tensor in given.values()):
            continue
        makers = {"trace": lambda: torch.jit.trace(model, example_kwarg_inputs=given, check_trace=False), "script": lambda: torch.jit.script(model)}
        for kind, make_file in makers.items():
            if not write(folder, name, kind, make_file):
                continue
            entry = {"name": f"{name}.{kind}", "zoo": name, "expect": "equal"}
            try:
                torch.jit.load(str(folder / f"{name}.{kind}.pt"))
            except Exception:  # nobody can
                if name in WITH_SOURCES:
                    entry["expect"] = "refused"
                else:
                    (folder / f"{name}.{kind}.pt").unlink()
                    continue
            if name in roles:
                entry["roles"] = roles[name]
            if kind == "script" and name in WIDTHS:
                entry["widths"] = {"x": WIDTHS[name]}
            files.append(entry)
    (folder / "index.json").write_text(json.dumps(files, indent=1) + "\n")
    print(f"{len(files)} files")


if __name__ == "__main__":
    main()
