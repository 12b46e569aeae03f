"""Trains the example models on Cora and exports them.

    python3 make_examples.py        (in this folder; needs PyTorch >= 2.8 and PyTorch Geometric)

Writes NAME.pt2 (torch.export, dynamic numbers of nodes and edges) and NAME.expected.npz: `expected`, the full-graph outputs that
PyTorch gave, and `accuracy`, on the public test split.
"""
import numpy as np
import torch
import torch.nn.functional as F
from torch.export import Dim
from torch_geometric.nn import GAT, GCN, GraphSAGE


def read_cora():
    data = np.load("cora.npz")
    x = np.zeros(data["x_shape"], dtype=np.float32)
    rows = np.repeat(np.arange(len(x)), np.diff(data["x_indptr"]))
    x[rows, data["x_indices"]] = data["x_data"]
    tensors = {name: torch.from_numpy(data[name]) for name in ("edge_index", "y", "train_mask", "val_mask", "test_mask")}
    return torch.from_numpy(x), tensors


def build(name, features, classes):
    common = dict(in_channels=features, out_channels=classes, dropout=0.5)
    if name == "gcn":
        return GCN(hidden_channels=16, num_layers=2, **common)
    if name == "sage":
        return GraphSAGE(hidden_channels=16, num_layers=2, **common)
    if name == "gat":
        return GAT(hidden_channels=32, num_layers=2, heads=4, **common)
    if name == "jk":
        return GCN(hidden_channels=16, num_layers=3, jk="lstm", **common)
    raise ValueError(name)


def accuracy(scores, labels, mask):
    return (scores.argmax(1) == labels)[mask].double().mean().item()


def train(model, x, data, epochs=200):
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
    best, best_state = 0, None
    for _ in range(epochs):
        model.train()
        optimizer.zero_grad()
        scores = model(x, data["edge_index"])
        F.cross_entropy(scores[data["train_mask"]], data["y"][data["train_mask"]]).backward()
        optimizer.step()
        model.eval()
        with torch.no_grad():
            found = accuracy(model(x, data["edge_index"]), data["y"], data["val_mask"])
        if found > best:
            best, best_state = found, {k: v.clone() for k, v in model.state_dict().items()}
    model.load_state_dict(best_state)
    return model.eval()


def main():
    x, data = read_cora()
    classes = int(data["y"].max()) + 1
    dynamic = {"x": {0: Dim.DYNAMIC}, "edge_index": {1: Dim.DYNAMIC}}
    for name in ("gcn", "sage", "gat", "jk"):
        torch.manual_seed(1)
        model = train(build(name, x.shape[1], classes), x, data)
        with torch.no_grad():
            expected = model(x, data["edge_index"])
        found = accuracy(expected, data["y"], data["test_mask"])
        # A piece of the graph is enough to trace, and keeps the archive small: the traced inputs are saved in it.
        inside = (data["edge_index"] < 60).all(0)
        sample = {"x": x[:60].clone(), "edge_index": data["edge_index"][:, inside]}
        exported = torch.export.export(model, (), sample, dynamic_shapes=dynamic)
        torch.export.save(exported, f"{name}.pt2")
        np.savez_compressed(f"{name}.expected.npz", expected=expected.numpy(), accuracy=np.float64(found))
        print(f"{name}: test accuracy {100 * found:.1f} %")


if __name__ == "__main__":
    main()
