#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "core/base/ids.h"

namespace cleave {

/// How fast a device beside the processor, and the bus between them, do what functions are made of; the defaults are those of a small GPU.
struct DeviceRates {
    std::string source = "assumed";
    double toDevice = 1e10;       ///< bytes/s of copies from memory of the host that such copies can be made of while it goes on (pinned)
    double fromDevice = 1e10;     ///< and back
    double memory = 3e11;         ///< bytes/s, read and written, of elementwise ops
    double edgeRows = 2e11;       ///< bytes/s of rows that the edge kernels gather and reduce
    double gemm = 5e12;           ///< FLOP/s of matrix products of a block with a weight
    double opSeconds = 1e-5;      ///< of handing one op to it
    double gatherStaged = 3e9;    ///< bytes/s of rows at random places of the host that the host puts together and copies
    double gatherThere = 6e9;     ///< the same rows read by a kernel where they lie; less where there is none

    bool operator==(const DeviceRates&) const = default;
};

/// How fast a machine does what inference on blocks is made of. Bytes per second count what is moved once; the defaults are those of two
/// cores of a server of 2023 with AVX-512, so that plans can be compared before calibration.
struct Rates {
    std::string source = "assumed";  ///< where the numbers come from: what every report says
    double read = 2e10;              ///< bytes/s of rows that follow each other in a store
    double gather = 6e9;             ///< bytes/s of rows at random places of a store
    double write = 1e10;             ///< bytes/s of rows into a new store
    double elementwise = 4e10;       ///< bytes/s, read and written, of elementwise ops on a block
    double segmentReduce = 2e9;   ///< bytes/s of edge rows reduced into node rows by LibTorch
    double edges = 6e8;           ///< edges/s that the edge kernels go through, however narrow their rows are
    double edgeRows = 3e10;       ///< bytes/s of rows that they gather and reduce, beside that
    double edgeArithmetic = 8e9;  ///< entries/s of an instruction of the edge kernels
    double gemm = 1.5e11;         ///< FLOP/s of matrix products of a block with a weight
    double slice = 2e9;           ///< bytes/s of structure sliced to a block's edges
    double number = 1.5e8;        ///< nodes/s that a block's nodes are found and numbered at
    double opSeconds = 1.5e-6;    ///< of calling one op
    bool joinsRelations = true;   ///< a sum over relations is one call, for the rows that have edges of each
    std::map<std::string, DeviceRates> devices;  ///< those that were measured, by name: "cuda"

    /// What is assumed where it was not measured.
    DeviceRates of(const std::string& device) const
    {
        const auto known = devices.find(device);
        return known == devices.end() ? DeviceRates() : known->second;
    }

    bool operator==(const Rates&) const = default;
};

/// Times measured on sample blocks of a graph: they stand in for the rates.
struct Profile {
    std::map<OpId, double> opSeconds;        ///< per row of the result; scatters: per row of their source. Gathers: straight from the store
    std::map<ValueId, double> writeSeconds;  ///< per row of a save point
    std::map<int, double> prepareSeconds;    ///< by function of the cut at message degree: blocks and structure, per row of any frame

    std::int64_t batchSize = 0;              ///< of the sample blocks

    bool empty() const { return opSeconds.empty(); }
};

}  // namespace cleave
