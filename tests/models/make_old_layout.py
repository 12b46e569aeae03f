"""Archives as PyTorch up to 2.7 wrote them, with what such models need: shared, transposed and half-precision weights, buffers, lifted constants.

    python3 make_old_layout.py        (in this folder; needs PyTorch 2.4 to 2.7)

Writes old_layout/NAME.pt2 and NAME.npz.
"""
import pathlib

import numpy as np
import torch
from torch import nn
from torch.export import Dim

N, M, F = 40, 170, 6
OUT = pathlib.Path("old_layout")


class Sage(nn.Module):
    """Mean aggregation; both layers share one linear layer, whose weight is a transposed view."""

    def __init__(self):
        super().__init__()
        self.own, self.other = nn.Linear(F, F), nn.Linear(F, F, bias=False)
        self.other.weight = nn.Parameter(torch.randn(F, F).t())
        self.register_buffer("scale", torch.tensor([0.5]))

    def layer(self, x, edge_index):
        source, target = edge_index[0], edge_index[1]
        messages = x.index_select(0, source)
        index = target.view(-1, 1).expand_as(messages)
        total = torch.zeros_like(x).scatter_add(0, index, messages)
        degree = torch.zeros(x.size(0)).index_add(0, target, torch.ones(target.size(0))).clamp(min=1)
        return self.own(x) + self.other(total / degree.unsqueeze(-1)) * self.scale

    def forward(self, x, edge_index):
        return self.layer(self.layer(x, edge_index).relu(), edge_index)


class Constants(nn.Module):
    """A lifted tensor constant, and a weight under two names."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(F, F)
        self.second = nn.Linear(F, F)
        self.second.weight = self.first.weight

    def forward(self, x, edge_index):
        h = self.second(self.first(x).relu()) + torch.tensor([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
        low, high = h.split([2, 4], dim=1)
        h = torch.cat([high, low], 1)
        top, _ = h.max(dim=1, keepdim=True)
        return torch.zeros_like(h).index_add(0, edge_index[1], (h - top)[edge_index[0]])


class Jumping(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(F, F)
        self.lstm = nn.LSTM(F, 4, batch_first=True, bidirectional=True)

    def forward(self, x, edge_index):
        h = self.lin(x)
        layers = [h]
        for _ in range(2):
            h = torch.zeros_like(h).index_add(0, edge_index[1], h[edge_index[0]]).tanh()
            layers.append(h)
        out, _ = self.lstm(torch.stack(layers, 1))
        return out.mean(1)


def main():
    OUT.mkdir(exist_ok=True)
    torch.manual_seed(3)
    x = torch.randn(N, F)
    edge_index = torch.randint(0, N - 4, (2, M))
    edge_index[0, :5] = edge_index[1, :5]
    for name, model in {"sage": Sage(), "constants": Constants(), "jumping": Jumping(), "half": Sage()}.items():
        model = model.eval()
        with torch.no_grad():
            expected = model(x, edge_index)
            if name == "half":
                model, given = model.half(), (x.half(), edge_index)
                expected = expected.half().float()
            else:
                given = (x, edge_index)
            exported = torch.export.export(model, given, dynamic_shapes={"x": {0: Dim("nodes", min=2)}, "edge_index": {1: Dim("edges", min=2)}})
        torch.export.save(exported, OUT / f"{name}.pt2")
        np.savez_compressed(OUT / f"{name}.npz", num_nodes=N, x=x.numpy(), edge_index=edge_index.numpy(), expected=expected.numpy())
    (OUT / "index.json").write_text('[{"name": "sage", "expect": "equal"}, {"name": "constants", "expect": "equal"}, '
                                    '{"name": "jumping", "expect": "equal"}, {"name": "half", "expect": "equal"}]\n')


if __name__ == "__main__":
    main()
