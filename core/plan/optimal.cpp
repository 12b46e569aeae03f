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

// One search: the relaxed programme first, tightened by cuts, then plans near its solution, then branch and bound where they are not proven.
class OptimumSearch {
public:
    OptimumSearch(const CostModel& costs, const Plan& start, int mostNodes, const Progress& progress)
        : m_costs(costs),
          m_progress(progress),
          m_programme(costs, start),
          m_mostNodes(mostNodes),
          m_known(costs.seconds(start)),
          // Objectives of some thousand are what the solver's tolerances are made for.
          m_scale(1e4 / std::max(m_known, 1e-12)),
          m_optimum{start, m_known}
    {
    }

    Optimum run()
    {
        if (m_programme.variables() == 0)
            return m_optimum;
        m_solver.messageHandler()->setLogLevel(0);
        m_programme.load(m_solver, m_scale);
        if (!relax())
            return m_optimum;
        std::vector<double> best;
        if (isIntegral(m_solver.getColSolution(), m_programme.variables()))
            best = solution();
        else if (!isProven())
            takeRounded();
        if (best.empty() && !isProven())
            best = branchAndBound();
        m_progress.check();
        if (!best.empty())
            take(m_programme.plan(best.data()));
        m_optimum.bound = std::min(m_optimum.bound, m_costs.seconds(m_optimum.plan));
        return m_optimum;
    }

private:
    bool isProven() const { return m_optimum.bound >= m_known * (1 - 1e-9); }
    double secondsOf(double objective) const { return m_programme.constantSeconds() + objective / m_scale; }
    std::vector<double> solution() const { return {m_solver.getColSolution(), m_solver.getColSolution() + m_solver.getNumCols()}; }

    // Sets the bound. False where the solver stops before it has a solution: the bound is then that of the round before.
    bool relax()
    {
        m_solver.initialSolve();
        if (!m_solver.isProvenOptimal())
            throw Error("The solver found no plan at all, which cannot be: the plan that it starts from is one.");
        m_optimum.bound = secondsOf(m_solver.getObjValue());
        constexpr int mostRounds = 30;
        for (int round = 0; round < mostRounds && !isIntegral(m_solver.getColSolution(), m_programme.variables()); ++round) {
            if (m_programme.cutOff(m_solver) == 0)
                break;
            m_progress.check();
            m_solver.resolve();
            if (!m_solver.isProvenOptimal())
                return false;
            m_optimum.bound = secondsOf(m_solver.getObjValue());
        }
        return true;
    }

    // Cut off at any height, a solution of fractions is a plan.
    void takeRounded()
    {
        for (int twentieth = 1; twentieth < 20; ++twentieth) {
            const Plan rounded = m_programme.plan(m_solver.getColSolution(), twentieth / 20.0);
            if (const double seconds = m_costs.seconds(rounded); seconds < m_known) {
                m_known = seconds;
                m_optimum.plan = rounded;
            }
        }
    }

    // The best solution, or nothing where none is better than what is known. Sets the bound.
    std::vector<double> branchAndBound()
    {
        // Preprocessing tightens the rows so far that mostly nothing is left to search.
        CglPreProcess process;
        process.messageHandler()->setLogLevel(0);
        CglProbing probing;
        probing.setMaxPass(1);
        probing.setMaxProbe(50);
        probing.setRowCuts(3);
        process.addCutGenerator(&probing);
        OsiSolverInterface* reduced = process.preProcess(m_solver, false, 5);
        if (!reduced)
            throw Error("The solver lost the plan that it started from.");
        reduced->messageHandler()->setLogLevel(0);
        CbcModel model(*reduced);
        configure(model);
        CbcRounding rounding(model);
        model.addHeuristic(&rounding);
        CbcHeuristicFPump pump(model);
        pump.setMaximumPasses(20);
        if (!isLarge())
            model.addHeuristic(&pump);
        StopHandler handler(m_progress);
        model.passInEventHandler(&handler);
        model.branchAndBound();
        m_optimum.bound = std::max(m_optimum.bound, std::min(m_known, secondsOf(model.getBestPossibleObjValue())));
        if (model.bestSolution()) {
            process.postProcess(*model.solver());
            return solution();
        }
        if (model.isProvenInfeasible())
            m_optimum.bound = m_known;  // nothing is below the plan that it started from
        return {};
    }

    bool isLarge() const { return m_programme.variables() > 3000; }

    void configure(CbcModel& model) const
    {
        model.setLogLevel(0);
        model.messageHandler()->setLogLevel(0);
        model.setMaximumNodes(nodesFor(m_programme.variables(), m_mostNodes));
        model.setAllowableFractionGap(1e-9);
        model.setAllowableGap(1e-4);
        model.setCutoff((m_known - m_programme.constantSeconds()) * m_scale * (1 + 1e-9) + 1e-6);
        model.setNumberStrong(isLarge() ? 1 : 5);
        model.setMaximumCutPassesAtRoot(5);
    }

    void take(Plan found)
    {
        if (const std::string why = m_costs.space().whyIllegal(found); !why.empty())
            throw Error("The solver's plan is not legal: " + why);
        if (m_costs.seconds(found) < m_known)
            m_optimum.plan = std::move(found);
    }

    const CostModel& m_costs;
    const Progress& m_progress;
    const Programme m_programme;
    const int m_mostNodes;
    double m_known;  // seconds of the best plan so far
    const double m_scale;
    OsiClpSolverInterface m_solver;
    Optimum m_optimum;
};

}  // namespace

bool hasSolver()
{
    return true;
}

Optimum findOptimum(const CostModel& costs, const Plan& start, int mostNodes, const Progress& progress)
{
    progress.update(0, "Searching the optimal plan");
    return OptimumSearch(costs, start, mostNodes, progress).run();
}

}  // namespace cleave
