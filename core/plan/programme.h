#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "core/plan/cost.h"

class OsiClpSolverInterface;

namespace cleave {

/// The legal plans of a cost model as solutions of a 0/1 programme, whose objective is what CostModel::price says of each: private to core/plan.
/// z(op, p) = 1 if the op stands after position p; columns for what is not decided by the op's range.
class Programme {
public:
    /// Plans that keep the constraints of `start`. Both must live as long as this.
    Programme(const CostModel& costs, const Plan& start);

    int variables() const { return m_decisions; }  ///< that are 0 or 1: the first columns
    double constantSeconds() const { return m_objective.constant; }  ///< that every plan takes, and the solver does not see

    /// scale: of seconds in the objective.
    void load(OsiClpSolverInterface& solver, double scale) const;

    /// Adds rows that every plan keeps and the solver's solution does not; how many.
    int cutOff(OsiClpSolverInterface& solver) const;

    /// Of a solution, which may be fractional: cut off at any height it gives a legal plan.
    Plan plan(const double* solution, double height = 0.5) const;

private:
    // A sum of columns and a constant.
    struct Linear {
        double constant = 0;
        std::vector<std::pair<int, double>> terms;

        Linear& add(const Linear& other, double factor);
        void simplify();

        friend Linear operator-(Linear a, const Linear& b) { return a.add(b, -1); }
        friend Linear operator+(Linear a, const Linear& b) { return a.add(b, 1); }
    };
    struct Crossing {
        int written;  // column
        int producer, reader, first, last;
    };
    struct Range {
        int first, last;
    };
    class StoredTensor;

    void findRanges();
    bool rowsVary() const;
    void contract();
    bool isConstrained(std::size_t i) const;
    bool mayStandAt(std::size_t i, int p) const;
    void addPositions();
    void addArrows();
    void addGroups();
    void addWork();
    void addTensors();
    void atLeast(Linear row, bool isEqual = false);
    int column(double seconds);
    int relabelled(int function);

    static Linear constant(double value) { return {value, {}}; }
    static Linear of(int column) { return {0, {{column, 1}}}; }
    Linear after(int op, int p) const;
    Linear later(int op, int function) const;
    Linear standsAt(int op, int p) const;
    Linear inFunction(int op, int f) const;
    Range functionsOf(int op) const;  // that it may stand in

    const CostModel& m_costs;
    const PlanSpace& m_space;
    const Plan& m_start;
    std::vector<int> m_low, m_high, m_root;         // of each op: its range, and the op that it stands with
    std::map<OpId, std::vector<int>> m_groups;      // ops that are kept together
    std::set<int> m_grouped;
    std::vector<std::set<int>> m_gatheredAt;        // of each op: message passings that gather what is made of it
    std::vector<std::vector<int>> m_column;         // of each op: of the positions in its range but the last
    int m_decisions = 0, m_columns = 0;
    Linear m_objective;
    std::vector<std::pair<Linear, bool>> m_rows;    // not negative; 0 where the second says so
    std::vector<int> m_relabelled;                  // columns by message passing; -1: none yet
    std::vector<Crossing> m_crossings;
};

}  // namespace cleave
