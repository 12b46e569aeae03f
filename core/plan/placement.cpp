#include "core/plan/placement.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

#include "core/plan/min_cut.h"

namespace cleave {

namespace {

// Batches that a function takes on a device: a small one, and as large ones as its memory allows, but some, so that lanes overlap.
double batchesThere(const GraphCounts& counts)
{
    constexpr double small = 4096, others = 8;
    const std::int64_t most = counts.nodes.empty() ? 0 : *std::ranges::max_element(counts.nodes);
    return static_cast<double>(most) <= small ? 1 : 1 + others;
}

double sumOf(const std::vector<PlacedFunction>& functions, const auto& part)
{
    return std::accumulate(functions.begin(), functions.end(), 0.0, [&](double sum, const PlacedFunction& f) { return sum + part(f); });
}

// Of an output over other rows than nodes', which no tensor of the store is.
double outputBytes(const FunctionCost& f)
{
    return f.rowsOf.valid() ? f.write.bytes : 0;
}

}  // namespace

double PlacedFunction::seconds() const
{
    return onDevice ? firstSeconds + std::max({prepareSeconds + saveSeconds, inSeconds - firstSeconds, computeSeconds, outSeconds})
                    : prepareSeconds + computeSeconds;
}

double DevicePlacement::seconds() const
{
    return sumOf(functions, [](const PlacedFunction& f) { return f.seconds(); });
}

double DevicePlacement::bytesIn() const
{
    return sumOf(functions, [](const PlacedFunction& f) { return f.bytesIn; });
}

double DevicePlacement::bytesOut() const
{
    return sumOf(functions, [](const PlacedFunction& f) { return f.bytesOut; });
}

bool DevicePlacement::usesDevice() const
{
    return std::ranges::any_of(functions, &PlacedFunction::onDevice);
}

Placing::Placing(const CostModel& costs, const Plan& plan, const PlanCost& cost, const DeviceRates& rates)
    : m_cost(cost), m_rates(rates), m_hostRead(costs.rates().read), m_hostWrite(costs.rates().write)
{
    const PlanSpace& space = costs.space();
    std::map<ValueId, const CostModel::Tensor*> known;
    for (const CostModel::Tensor& tensor : costs.tensors())
        known[tensor.id] = &tensor;
    std::vector<double> readBytes(cost.functions.size());  // but for rows that edge kernels read, which count for what these do
    for (const TensorCost& t : cost.tensors) {
        for (const TensorRead& read : t.reads)
            readBytes[static_cast<std::size_t>(read.function)] += read.amount.seconds > 0 ? read.amount.bytes : 0;
        const CostModel::Tensor& tensor = *known.at(t.tensor);
        Moved moved{t.madeIn, {}, t.madeIn >= 0 ? t.write.bytes : tensor.bytes * costs.counts().nodesOf(tensor.nodeType), tensor.isOutput, {}};
        for (const TensorRead& read : t.reads) {
            if (std::ranges::count(moved.readIn, read.function) == 0)
                moved.readIn.push_back(read.function);
            if (read.rows == 'M')
                moved.readAnywhere.push_back(read.function);
        }
        m_tensors.push_back(std::move(moved));
    }
    for (std::size_t index = 0; index < cost.functions.size(); ++index) {
        const FunctionCost& f = cost.functions[index];
        double ops = 1, edgeBytes = 0;
        for (std::size_t i = 0; i < space.ops().size(); ++i)
            if (const int at = plan.positions[i].function(); !f.isGlobal && !f.rowsOf.valid() && at >= f.first && at <= f.last) {
                ++ops;
                edgeBytes += space.ops()[i].movable ? 0 : cost.ops[i].bytes;
            }
        m_compute.push_back((readBytes[index] + std::max(f.compute.bytes - edgeBytes, 0.0) + f.write.bytes) / rates.memory +
                            edgeBytes / rates.edgeRows + f.compute.flops / rates.gemm + batchesThere(costs.counts()) * ops * rates.opSeconds);
    }
}

// Through memory that the device copies from, which the host fills.
double Placing::arrivalSeconds(double bytes) const
{
    return bytes / std::min(m_rates.toDevice, m_hostRead);
}

double Placing::leavingSeconds(double bytes) const
{
    return bytes / std::min(m_rates.fromDevice, m_hostWrite);
}

DevicePlacement Placing::price(const std::vector<bool>& onDevice) const
{
    DevicePlacement placement;
    placement.rates = m_rates.source;
    placement.cpuSeconds = m_cost.seconds();
    const std::size_t count = m_cost.functions.size();
    for (std::size_t i = 0; i < count; ++i) {
        const FunctionCost& f = m_cost.functions[i];
        PlacedFunction& placed = placement.functions.emplace_back();
        placed.onDevice = onDevice[i];
        placed.prepareSeconds = f.prepare.seconds;
        placed.computeSeconds = onDevice[i] ? m_compute[i] : f.read.seconds + f.compute.seconds + f.write.seconds;
        placed.bytesIn = onDevice[i] ? f.prepare.bytes : 0;
        placed.firstSeconds = arrivalSeconds(placed.bytesIn);
        placed.bytesOut = onDevice[i] ? outputBytes(f) : 0;
    }
    std::vector<double> lying(count);  // bytes on the device while each function runs
    for (const Moved& t : m_tensors) {
        const auto isThere = [&](int f) { return onDevice[static_cast<std::size_t>(f)]; };
        const auto firstThere = std::ranges::find_if(t.readIn, isThere);
        const bool isMadeThere = t.madeIn >= 0 && isThere(t.madeIn), isReadThere = firstThere != t.readIn.end();
        if (isMadeThere && (t.isOutput || !std::ranges::all_of(t.readIn, isThere)))
            placement.functions[static_cast<std::size_t>(t.madeIn)].bytesOut += t.bytes;
        if (isMadeThere && isReadThere)
            placement.functions[static_cast<std::size_t>(t.madeIn)].bytesKept += t.bytes;
        if (!isMadeThere && isReadThere) {
            PlacedFunction& first = placement.functions[static_cast<std::size_t>(*firstThere)];
            first.bytesIn += t.bytes;
            if (std::ranges::count_if(t.readIn, isThere) > 1 || std::ranges::count(t.readAnywhere, *firstThere) > 0)
                first.firstSeconds += arrivalSeconds(t.bytes);
        }
        int from = isMadeThere ? t.madeIn : static_cast<int>(count), to = -1;
        for (const int f : t.readIn)
            if (isThere(f)) {
                from = std::min(from, f);
                to = std::max(to, f);
            }
        for (int f = from; f <= to; ++f)
            lying[static_cast<std::size_t>(f)] += t.bytes;
    }
    for (PlacedFunction& f : placement.functions) {
        f.inSeconds = arrivalSeconds(f.bytesIn);
        f.outSeconds = f.bytesOut / m_rates.fromDevice;
        f.saveSeconds = f.bytesOut / m_hostWrite;
    }
    placement.storeBytes = lying.empty() ? 0 : *std::ranges::max_element(lying);
    return placement;
}

// The first side is the CPU. Rows of a tensor cross over at most once each way, however many functions read them there: a node of its own says
// whether any does.
DevicePlacement Placing::best() const
{
    const int count = static_cast<int>(m_cost.functions.size());
    constexpr double never = std::numeric_limits<double>::infinity();
    MinCut cut(count);
    for (int i = 0; i < count; ++i) {
        const FunctionCost& f = m_cost.functions[static_cast<std::size_t>(i)];
        cut.payOnFirst(i, f.seconds());
        cut.payOnSecond(i, mayRunThere(static_cast<std::size_t>(i))
                               ? arrivalSeconds(f.prepare.bytes) + std::max(f.prepare.seconds, m_compute[static_cast<std::size_t>(i)]) +
                                     leavingSeconds(outputBytes(f))
                               : never);
    }
    for (const Moved& t : m_tensors) {
        const int isReadThere = cut.addNode(), isReadHere = cut.addNode();
        for (const int reader : t.readIn) {
            cut.mustPay(isReadThere, reader, never);  // a reader there puts it there
            cut.mustPay(reader, isReadHere, never);   // one here puts it here
        }
        if (t.madeIn >= 0)
            cut.mustPay(t.madeIn, isReadThere, arrivalSeconds(t.bytes));
        else
            cut.payOnSecond(isReadThere, arrivalSeconds(t.bytes));
        if (t.madeIn >= 0 && t.isOutput)
            cut.payOnSecond(t.madeIn, leavingSeconds(t.bytes));
        else if (t.madeIn >= 0)
            cut.mustPay(isReadHere, t.madeIn, leavingSeconds(t.bytes));
    }
    std::vector<bool> onDevice = cut.solve();
    onDevice.resize(static_cast<std::size_t>(count));
    DevicePlacement best = price(onDevice), onHost = price(std::vector<bool>(static_cast<std::size_t>(count)));
    return best.seconds() < onHost.seconds() ? best : onHost;
}

Rates ratesOn(const DeviceRates& device, const Rates& host)
{
    Rates rates = host;
    rates.source = device.source;
    for (double Rates::*rate : {&Rates::read, &Rates::gather, &Rates::write, &Rates::elementwise, &Rates::segmentReduce})
        rates.*rate = device.memory;
    rates.edgeRows = device.edgeRows;
    rates.edges = device.memory / sizeof(std::int64_t);
    rates.edgeArithmetic = device.memory / sizeof(float);
    rates.gemm = device.gemm;
    rates.opSeconds = device.opSeconds;
    rates.joinsRelations = false;
    return rates;
}

}  // namespace cleave
