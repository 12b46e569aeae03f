#pragma once

#include <string>
#include <vector>

#include "core/plan/cost.h"

namespace cleave {

/// What a function costs where it is placed. On a device its lanes go side by side, behind what all batches read: blocks are prepared, rows come, are
/// computed, leave and are saved.
struct PlacedFunction {
    bool onDevice = false;
    double prepareSeconds = 0;  ///< of the host
    double inSeconds = 0, computeSeconds = 0, outSeconds = 0;
    double firstSeconds = 0;  ///< of inSeconds: for what comes before the first batch
    double saveSeconds = 0;   ///< of the host: rows that left, written into the store
    double bytesIn = 0, bytesOut = 0;
    double bytesKept = 0;       ///< of save points that stay on the device for functions after

    double seconds() const;
};

/// Which functions run on a device, and what that costs.
struct DevicePlacement {
    std::string device;                     ///< "cuda"
    std::vector<PlacedFunction> functions;  ///< as PlanCost::functions
    double storeBytes = 0;                  ///< most bytes of the store that lie on the device at once
    double cpuSeconds = 0;                  ///< of the same plan without the device
    std::string rates;                      ///< where those of the device come from

    double seconds() const;
    double bytesIn() const;
    double bytesOut() const;
    bool usesDevice() const;
};

/// Places the functions of one plan.
class Placing {
public:
    Placing(const CostModel& costs, const Plan& plan, const PlanCost& cost, const DeviceRates& rates);

    bool mayRunThere(std::size_t function) const { return !m_cost.functions[function].isGlobal; }

    /// onDevice: as PlanCost::functions, only where mayRunThere.
    DevicePlacement price(const std::vector<bool>& onDevice) const;

    /// The least sum of what functions take where they are and of the rows that have to cross over, by a minimum cut (Stone 1977); all on the CPU
    /// where lanes that go side by side make that the faster one.
    DevicePlacement best() const;

private:
    struct Moved {
        int madeIn = -1;       // -1: an input, which lies on the host
        std::vector<int> readIn;
        double bytes = 0;
        bool isOutput = false;
        std::vector<int> readAnywhere;  // functions that read it at any place
    };
    double arrivalSeconds(double bytes) const;
    double leavingSeconds(double bytes) const;

    const PlanCost& m_cost;
    DeviceRates m_rates;
    double m_hostRead = 0, m_hostWrite = 0;  // bytes/s
    std::vector<Moved> m_tensors;
    std::vector<double> m_compute;  // seconds on the device, by function
};

/// The rates of the processor with those of a device in the place of what functions do there: with these, planners make plans for it.
Rates ratesOn(const DeviceRates& device, const Rates& host);

}  // namespace cleave
