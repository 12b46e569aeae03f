#include "core/plan/optimal.h"

#include <CbcEventHandler.hpp>
#include <CbcHeuristic.hpp>
#include <CbcHeuristicFPump.hpp>
#include <CbcModel.hpp>
#include <CglPreProcess.hpp>
#include <CglProbing.hpp>
#include <OsiClpSolverInterface.hpp>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/plan/programme.h"

namespace cleave {

namespace {

// Stops the search when the caller asks for it.
class StopHandler : public CbcEventHandler {
public:
    explicit StopHandler(const Progress& progress) : m_progress(progress) {}
    CbcAction event(CbcEvent) override { return m_progress.stop.stop_requested() ? stop : noAction; }
    CbcEventHandler* clone() const override { return new StopHandler(*this); }

private:
    const Progress& m_progress;
};

bool isIntegral(const double* solution, int columns)
{
    return std::all_of(solution, solution + columns, [](double x) { return std::abs(x - std::round(x)) < 1e-6; });
}

// A node of a large programme takes long: fewer of them, by number and not by time, so that plans can be reproduced.
int nodesFor(int variables, int mostNodes)
{
    const double size = std::max(1.0, variables / 1000.0);
    return std::max(3, static_cast<int>(mostNodes / (size * size * size * size)));
}

}  // namespace

bool hasSolver() { return true; }

Optimum findOptimum(const CostModel& costs, const Plan& start, int mostNodes, const Progress& progress)
{
    progress.update(0, "Searching the optimal plan");
    const Programme programme(costs, start);
    Optimum optimum{start, 0};
    double known = costs.seconds(start);
    const double base = programme.constantSeconds();
    if (programme.variables() == 0) {
        optimum.bound = known;
        return optimum;
    }
    // Objectives of some thousand are what the solver's tolerances are made for.
    const double scale = 1e4 / std::max(known, 1e-12);
    OsiClpSolverInterface solver;
    solver.messageHandler()->setLogLevel(0);
    programme.load(solver, scale);
    solver.initialSolve();
    if (!solver.isProvenOptimal())
        throw Error("The solver found no plan at all, which cannot be: the plan that it starts from is one.");
    optimum.bound = base + solver.getObjValue() / scale;
    for (int round = 0; round < 30 && !isIntegral(solver.getColSolution(), programme.variables()) && programme.cutOff(solver) > 0; ++round) {
        progress.check();
        solver.resolve();
        if (!solver.isProvenOptimal())
            return optimum;  // the bound is that of the round before
        optimum.bound = base + solver.getObjValue() / scale;
    }
    std::vector<double> best;
    if (isIntegral(solver.getColSolution(), programme.variables())) {
        best.assign(solver.getColSolution(), solver.getColSolution() + solver.getNumCols());
    } else if (optimum.bound < known * (1 - 1e-9)) {
        for (int tenth = 1; tenth < 20; ++tenth) {
            const Plan rounded = programme.plan(solver.getColSolution(), tenth / 20.0);
            if (const double seconds = costs.seconds(rounded); seconds < known) {
                known = seconds;
                optimum.plan = rounded;
            }
        }
    }
    if (best.empty() && optimum.bound < known * (1 - 1e-9)) {
        // Preprocessing tightens the rows so far that mostly nothing is left to search.
        const bool large = programme.variables() > 3000;
        CglPreProcess process;
        process.messageHandler()->setLogLevel(0);
        CglProbing probing;
        probing.setMaxPass(1);
        probing.setMaxProbe(50);
        probing.setRowCuts(3);
        process.addCutGenerator(&probing);
        OsiSolverInterface* reduced = process.preProcess(solver, false, 5);
        if (!reduced)
            throw Error("The solver lost the plan that it started from.");
        reduced->messageHandler()->setLogLevel(0);
        CbcModel model(*reduced);
        model.setLogLevel(0);
        model.messageHandler()->setLogLevel(0);
        model.setMaximumNodes(nodesFor(programme.variables(), mostNodes));
        model.setAllowableFractionGap(1e-9);
        model.setAllowableGap(1e-4);
        model.setCutoff((known - base) * scale * (1 + 1e-9) + 1e-6);
        CbcRounding rounding(model);
        model.addHeuristic(&rounding);
        CbcHeuristicFPump pump(model);
        pump.setMaximumPasses(20);
        if (!large)
            model.addHeuristic(&pump);
        model.setNumberStrong(large ? 1 : 5);
        model.setMaximumCutPassesAtRoot(5);
        StopHandler handler(progress);
        model.passInEventHandler(&handler);
        model.branchAndBound();
        optimum.bound = std::max(optimum.bound, std::min(known, base + model.getBestPossibleObjValue() / scale));
        if (model.bestSolution()) {
            process.postProcess(*model.solver());
            best.assign(solver.getColSolution(), solver.getColSolution() + solver.getNumCols());
        } else if (model.isProvenInfeasible()) {
            optimum.bound = known;  // nothing is below the plan that it started from
        }
    }
    progress.check();
    if (!best.empty()) {
        Plan found = programme.plan(best.data());
        if (const std::string why = costs.space().whyIllegal(found); !why.empty())
            throw Error("The solver's plan is not legal: " + why);
        if (costs.seconds(found) < known)
            optimum.plan = std::move(found);
    }
    optimum.bound = std::min(optimum.bound, costs.seconds(optimum.plan));
    return optimum;
}

}  // namespace cleave
