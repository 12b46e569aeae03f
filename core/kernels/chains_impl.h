// Compiled once for each instruction set: CLEAVE_ISA names the namespace.

#include "core/kernels/chain_acts_impl.h"

namespace cleave::CLEAVE_ISA {

namespace {

// Of columns in hand: those, what has been reduced of them and an operand stay in registers.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int mostInHand = 2;
#else
constexpr int mostInHand = vectorBytes == 64 ? 8 : 4;
#endif

// Asking for a line whose page the processor has to look up holds back what comes after it. The pages of some rows at once are looked up side by side; with
// a lot of work for each edge between them, hardly two would be.
constexpr std::int64_t touchedAtOnce = 16, touchedAhead = 32;

// stride: bytes.
inline void touch(const char* rows, std::int64_t stride, const std::int32_t* sources, std::int64_t edge, std::int64_t edges)
{
    const std::int64_t first = edge + touchedAhead, end = first + touchedAtOnce < edges ? first + touchedAtOnce : edges;
    for (std::int64_t later = first; later < end; ++later)
        __builtin_prefetch(rows + static_cast<std::int64_t>(sources[later]) * stride);
}

// Of whole columns, out of the way of other steps: the numbers that it needs would take their registers.
template <Act act, int N>
__attribute__((noinline)) void exponentials(Vector<float>* x)
{
    for (int k = 0; k < N; ++k)
        x[k] = ofOne<act, float>(x[k], x[k]);
}

// A chain over N vectors of columns, the last of which has `tail` lanes.
template <class T, int N, bool SumsWithin>
class Columns {
public:
    Columns(const ChainArguments<T>& a, std::int64_t column, int tail) : m_a(a), m_column(column), m_tail(tail)
    {
        if (SumsWithin) {
            m_inner = a.target.width / a.target.heads;
            m_group = column / m_inner;
            m_done = column - m_group * m_inner;
            if (count % m_inner == 0)
                for (int i = 0; i < count; ++i) {
                    m_firsts[i] = static_cast<int>(i * m_inner) % count;
                    m_folds = 0;
                    for (int across = 1; across < m_inner; across *= 2)
                        m_across[m_folds++][i] = i ^ across;
                }
        }
        for (int i = 0; i < a.operandCount; ++i)
            place(a.operands[i], m_terms[i], m_lanes[i]);
        for (int i = 0; i < a.stepCount; ++i)
            decode(a.steps[i]);
        m_steps[m_stepCount] = {Act::End, m_terms, nullptr, T(0)};
    }

    void run()
    {
        constexpr bool isUsual = sizeof(T) == 4 && vectorBytes > 16 && N >= mostInHand / 2;
        if (!isUsual || !runOneOf(Usual{}))
            runAs(Sequence<>{});
    }

private:
    template <class... Sequences>
    bool runOneOf(List<Sequences...>)
    {
        return (runIf(Sequences{}) || ...);
    }

    template <Act... acts>
    bool runIf(Sequence<acts...> sequence)
    {
        constexpr Act all[] = {acts...};
        constexpr int steps = sizeof...(acts);
        for (int i = 0; i < steps; ++i)
            if (m_steps[i].act != all[i])
                return false;
        if (m_stepCount != steps)
            return false;
        runAs(sequence);
        return true;
    }

    // The steps, which are those of the sequence: an empty one stands for any.
    template <Act... acts>
    void runAs(Sequence<acts...> sequence)
    {
        constexpr int steps = sizeof...(acts);
        const ReduceArguments<T>& r = m_a.target;
        const Requests requests(r);
        Term terms[steps + 1];
        for (int i = 0; i < steps; ++i)
            terms[i] = *m_steps[i].term;
        const bool picks = r.reduce == Reduce::Max || r.reduce == Reduce::Min;
        const bool takesFirst = picks && r.starts && !r.fromInitial;
        const bool past = r.past && !SumsWithin && m_tail == count && N * vectorBytes % 64 == 0;
        Vector<T> x[N] = {}, y[N] = {};
        for (std::int64_t t = r.firstTarget; t < r.lastTarget; ++t) {
            std::int64_t e = r.begin[t] - r.origin, end = r.begin[t + 1] - r.origin;
            const std::int64_t degree = end - e;
            e = e < r.firstEdge ? r.firstEdge : e;
            end = end > r.lastEdge ? r.lastEdge : end;
            const std::int64_t row = r.targets ? static_cast<std::int64_t>(r.targets[t]) : t - r.firstTarget;
            for (int i = 0; i < m_ofTarget.count; ++i)
                m_ofTarget.terms[i]->row = m_ofTarget.terms[i]->base + row * m_ofTarget.terms[i]->stride;
            forEach<steps>([&](auto i) __attribute__((always_inline)) {
                if (Term& term = terms[i]; term.of == EdgeRow::Target)
                    term.row = term.base + row * term.stride;
            });
            if constexpr (SumsWithin) {
                for (; e < end; ++e) {
                    compute(sequence, terms, requests, x, y, e);
                    sumWithin(x, r.out + (e - r.rowOrigin) * r.outStride);
                }
                continue;
            }
            const bool addsLast = !picks && !r.starts && r.isPart(row);
            Vector<T> sum[N];
            T* const out = r.out + row * r.outStride + m_column;
            if (r.starts || addsLast)
                forEach<N>([&](auto k) __attribute__((always_inline)) { sum[k] = broadcast(takesFirst ? r.empty : addsLast ? T(0) : r.initial); });
            else
                forEach<N>([&](auto k) __attribute__((always_inline)) { sum[k] = columns(out, k); });
            for (const bool isLong = !picks && end - e > summedAtOnce; isLong && e < end; e += summedAtOnce) {
                Vector<T> part[N];
                sumPart(t, row, e, part);
                forEach<N>([&](auto k) __attribute__((always_inline)) { sum[k] += part[k]; });
            }
            for (bool isFirst = takesFirst; e < end; ++e, isFirst = false) {
                compute(sequence, terms, requests, x, y, e);
                if (!picks)
                    forEach<N>([&](auto k) __attribute__((always_inline)) { sum[k] += x[k]; });
                else if (isFirst)
                    forEach<N>([&](auto k) __attribute__((always_inline)) { sum[k] = x[k]; });
                else if (r.reduce == Reduce::Max)
                    forEach<N>([&](auto k) __attribute__((always_inline)) { sum[k] = combined<Reduce::Max, T>(sum[k], x[k]); });
                else
                    forEach<N>([&](auto k) __attribute__((always_inline)) { sum[k] = combined<Reduce::Min, T>(sum[k], x[k]); });
            }
            if (addsLast)
                forEach<N>([&](auto k) __attribute__((always_inline)) { sum[k] += columns(out, k); });
            const T divisor = static_cast<T>(degree);
            forEach<N>([&](auto k) __attribute__((always_inline)) {
                if (r.ends && degree == 0)
                    sum[k] = broadcast(r.empty);
                else if (r.ends && r.reduce == Reduce::Mean)
                    sum[k] /= broadcast(divisor);
                if (k == N - 1 && m_tail < count)
                    storeSome(out + k * count, sum[k], m_tail);
                else if (past)
                    storePast<T>(out + k * count, sum[k]);
                else
                    store<T>(out + k * count, sum[k]);
            });
        }
        if (past)
            storesDone();
    }

    // Of summedAtOnce edges into a target, whose own rows are those of this number, from this one on, as far as there are so many.
    __attribute__((noinline)) void sumPart(std::int64_t target, std::int64_t row, std::int64_t edge, Vector<T> (&sum)[N]) const
    {
        T part[N * count] = {};
        ChainOperand operands[mostOperands];
        for (int i = 0; i < m_a.operandCount; ++i) {
            ChainOperand& operand = operands[i] = m_a.operands[i];
            const std::int64_t item = operand.type == DType::BFloat16 ? 2 : static_cast<std::int64_t>(sizeof(T));
            if (operand.row == EdgeRow::Target)
                operand.rows = static_cast<const char*>(operand.rows) + row * operand.stride * item;
        }
        ChainArguments<T> a = m_a;
        a.operands = operands;
        takePart(a.target, target, edge, part - m_column);
        Columns(a, m_column, m_tail).run();
        forEach<N>([&](auto k) __attribute__((always_inline)) { sum[k] = load(part + k * count); });
    }

    static constexpr int count = Lanes<T>::count;
    // Edges that rows are asked for ahead: more steps take longer than a sum.
    static constexpr std::int64_t aheadIntoFirst = 12, aheadIntoSecond = 20, farAhead = 64, nearAhead = 3;
    static constexpr int mostOperands = ChainArguments<T>::mostOperands;
    static constexpr std::int64_t leastTogether = 8;  // columns of a group; fewer are added one by one sooner

    struct Term {
        const char* row = nullptr;  // of the edge at hand, from the first column on
        const char* base = nullptr;
        std::int64_t stride = 0;  // bytes
        const std::int32_t* sources = nullptr;
        std::int64_t origin = 0;
        int heads = 0;
        Act fetch = Act::Take;  // Take: whole rows of T
        EdgeRow of = EdgeRow::Same;

        const char* rowOf(std::int64_t edge) const { return base + static_cast<std::int64_t>(sources[edge]) * stride; }
        bool isOfEdge() const { return of == EdgeRow::Source || of == EdgeRow::Edge; }
        bool isAsked() const { return sources && fetch == Act::Take; }
    };

    // Of rows for edges to come.
    struct Requests {
        const bool intoFirst, intoBoth;
        const std::int64_t distance, end;  // edges

        explicit Requests(const ReduceArguments<T>& r)
            : intoFirst(r.ahead == Cache::First),
              intoBoth(r.ahead == Cache::Both),
              distance(intoBoth ? farAhead : intoFirst ? aheadIntoFirst : aheadIntoSecond),
              end(r.prefetchEnd - distance)
        {
        }

        template <int Lines>
        __attribute__((always_inline)) void ask(const Term& term, std::int64_t edge) const
        {
            if (edge >= end)
                return;
            const char* const later = term.rowOf(edge + distance);
            if (intoFirst)
                forEachOfRow<Lines, 64>([&](auto line) __attribute__((always_inline)) { __builtin_prefetch(later + line * 64); });
            else
                forEachOfRow<Lines, 64>([&](auto line) __attribute__((always_inline)) { __builtin_prefetch(later + line * 64, 0, 2); });
            if (intoBoth) {
                const char* const next = term.rowOf(edge + nearAhead);
                forEachOfRow<Lines, 64>([&](auto line) __attribute__((always_inline)) { __builtin_prefetch(next + line * 64); });
            }
        }
    };

    struct Terms {
        Term* terms[mostOperands];
        int count = 0;

        void add(Term& term) { terms[count++] = &term; }
    };

    struct Step {
        Act act;
        const Term* term;  // one of those that there are, where none is read
        Vector<T>* kept;
        T number;
    };

    void place(const ChainOperand& operand, Term& term, typename Lanes<T>::Index* lanes)
    {
        const std::int64_t width = m_a.target.width;
        const std::int64_t item = operand.type == DType::BFloat16 ? 2 : static_cast<std::int64_t>(sizeof(T));
        std::int64_t first = 0;
        if (operand.width == width) {
            term.fetch = operand.type == DType::BFloat16 ? Act::Half : Act::Take;
            first = m_column;
        } else if (operand.width == 1) {
            term.fetch = Act::One;
        } else {
            const std::int64_t perHead = width / operand.width;
            term.fetch = Act::Heads;
            first = m_column / perHead;
            term.heads = static_cast<int>(operand.width - first < count ? operand.width - first : count);
            headsOf<T>(lanes, N, perHead, m_column - first * perHead);
        }
        term.base = static_cast<const char*>(operand.rows) + first * item;
        term.stride = operand.stride * item;
        term.sources = operand.sources;
        term.origin = operand.origin;
        term.row = term.base;
        term.of = operand.row;
        if (term.of == EdgeRow::Target)
            m_ofTarget.add(term);
        else if (term.isOfEdge())
            (!term.sources ? m_ofEdge : term.isAsked() ? m_ofSource : m_narrowOfSource).add(term);
    }

    void decode(const ChainStep& step)
    {
        const auto add = [&](Act act, const Term* term) { m_steps[m_stepCount++] = {act, term, m_kept[step.kept < 0 ? 0 : step.kept], static_cast<T>(step.number)}; };
        const Act act = actOf(step);
        const Term* term = step.operand >= 0 ? &m_terms[step.operand] : m_terms;
        bool reads = step.operand >= 0;
        if (!reads && step.kept >= 0 && act != Act::Keep) {
            Term& kept = m_ofKept[step.kept];
            kept.row = reinterpret_cast<const char*>(m_kept[step.kept]);
            kept.fetch = Act::Take;
            term = &kept;
            reads = true;
        }
        const bool isRow = reads && term->fetch == Act::Take;
        if (reads && !isRow)
            add(term->fetch, term);
        add(isRow ? static_cast<Act>(static_cast<int>(act) + (act == Act::Take ? static_cast<int>(Act::TakeRow) - static_cast<int>(Act::Take)
                                                                              : static_cast<int>(Act::AddRow) - static_cast<int>(Act::Add)))
                  : act,
            term);
    }

    // Those of a row of T that come k vectors after the first.
    template <class K>
    __attribute__((always_inline)) Vector<T> columns(const T* row, K k) const
    {
#if defined(__AVX512F__)
        if constexpr (K::value == N - 1)
            return loadSome(row + k * count, m_tail);
#else
        if (K::value == N - 1 && m_tail < count)
            return loadSome(row + k * count, m_tail);
#endif
        return load(row + k * count);
    }

    static constexpr int linesInHand = (N * vectorBytes + 63) / 64;

    // Step by step.
    __attribute__((always_inline)) void compute(Sequence<>, Term*, const Requests& requests, Vector<T> (&x)[N], Vector<T> (&y)[N], std::int64_t edge)
    {
        for (int i = 0; i < m_ofEdge.count; ++i)
            m_ofEdge.terms[i]->row = m_ofEdge.terms[i]->base + (edge - m_ofEdge.terms[i]->origin) * m_ofEdge.terms[i]->stride;
        if (edge % touchedAtOnce == 0 && requests.intoFirst)
            for (int i = 0; i < m_ofSource.count; ++i)
                touch(m_ofSource.terms[i]->base, m_ofSource.terms[i]->stride, m_ofSource.terms[i]->sources, edge, m_a.target.prefetchEnd);
        for (int i = 0; i < m_ofSource.count; ++i) {
            Term& term = *m_ofSource.terms[i];
            term.row = term.rowOf(edge);
            requests.template ask<linesInHand>(term, edge);
        }
        for (int i = 0; i < m_narrowOfSource.count; ++i) {
            Term& term = *m_narrowOfSource.terms[i];
            term.row = term.rowOf(edge);
            if (term.fetch == Act::Half)
                requests.template ask<(linesInHand + 1) / 2>(term, edge);
            else
                requests.template ask<1>(term, edge);
        }
        follow(x, y);
    }

    // The steps are those of the sequence, and read these terms.
    template <Act... acts>
    __attribute__((always_inline)) void compute(Sequence<acts...>, Term* terms, const Requests& requests, Vector<T> (&x)[N], Vector<T> (&y)[N],
                                                std::int64_t edge) const
    {
        constexpr Act all[] = {acts...};
        forEach<sizeof...(acts)>([&](auto i) __attribute__((always_inline)) {
            if constexpr (reads<all[i]>)
                if (Term& term = terms[i]; term.isOfEdge()) {
                    term.row = term.sources ? term.rowOf(edge) : term.base + (edge - term.origin) * term.stride;
                    if (isWithin(all[i], Act::TakeRow, Act::MinimumRow) && term.sources)
                        requests.template ask<linesInHand>(term, edge);
                }
        });
        int i = 0;
        ((apply<acts>(m_steps[i], terms[i].row, x, y), ++i), ...);
    }

    __attribute__((always_inline)) void follow(Vector<T> (&x)[N], Vector<T> (&y)[N]) const
    {
        for (const Step* step = m_steps;; ++step)
            switch (step->act) {
            case Act::End: return;
            case Act::Take: apply<Act::Take>(*step, step->term->row, x, y); break;
            case Act::One: apply<Act::One>(*step, step->term->row, x, y); break;
            case Act::Heads: apply<Act::Heads>(*step, step->term->row, x, y); break;
            case Act::Half: apply<Act::Half>(*step, step->term->row, x, y); break;
            case Act::Keep: apply<Act::Keep>(*step, step->term->row, x, y); break;
            case Act::Add: apply<Act::Add>(*step, step->term->row, x, y); break;
            case Act::Subtract: apply<Act::Subtract>(*step, step->term->row, x, y); break;
            case Act::SubtractFrom: apply<Act::SubtractFrom>(*step, step->term->row, x, y); break;
            case Act::Multiply: apply<Act::Multiply>(*step, step->term->row, x, y); break;
            case Act::Divide: apply<Act::Divide>(*step, step->term->row, x, y); break;
            case Act::DivideInto: apply<Act::DivideInto>(*step, step->term->row, x, y); break;
            case Act::Maximum: apply<Act::Maximum>(*step, step->term->row, x, y); break;
            case Act::Minimum: apply<Act::Minimum>(*step, step->term->row, x, y); break;
            case Act::TakeRow: apply<Act::TakeRow>(*step, step->term->row, x, y); break;
            case Act::AddRow: apply<Act::AddRow>(*step, step->term->row, x, y); break;
            case Act::SubtractRow: apply<Act::SubtractRow>(*step, step->term->row, x, y); break;
            case Act::SubtractFromRow: apply<Act::SubtractFromRow>(*step, step->term->row, x, y); break;
            case Act::MultiplyRow: apply<Act::MultiplyRow>(*step, step->term->row, x, y); break;
            case Act::DivideRow: apply<Act::DivideRow>(*step, step->term->row, x, y); break;
            case Act::DivideIntoRow: apply<Act::DivideIntoRow>(*step, step->term->row, x, y); break;
            case Act::MaximumRow: apply<Act::MaximumRow>(*step, step->term->row, x, y); break;
            case Act::MinimumRow: apply<Act::MinimumRow>(*step, step->term->row, x, y); break;
            case Act::AddNumber: apply<Act::AddNumber>(*step, step->term->row, x, y); break;
            case Act::MultiplyNumber: apply<Act::MultiplyNumber>(*step, step->term->row, x, y); break;
            case Act::NumberMinus: apply<Act::NumberMinus>(*step, step->term->row, x, y); break;
            case Act::NumberOver: apply<Act::NumberOver>(*step, step->term->row, x, y); break;
            case Act::ClampMin: apply<Act::ClampMin>(*step, step->term->row, x, y); break;
            case Act::ClampMax: apply<Act::ClampMax>(*step, step->term->row, x, y); break;
            case Act::Negate: apply<Act::Negate>(*step, step->term->row, x, y); break;
            case Act::Absolute: apply<Act::Absolute>(*step, step->term->row, x, y); break;
            case Act::Square: apply<Act::Square>(*step, step->term->row, x, y); break;
            case Act::SquareRoot: apply<Act::SquareRoot>(*step, step->term->row, x, y); break;
            case Act::Reciprocal: apply<Act::Reciprocal>(*step, step->term->row, x, y); break;
            case Act::ReciprocalRoot: apply<Act::ReciprocalRoot>(*step, step->term->row, x, y); break;
            case Act::Exp: applyApart<Act::Exp>(x); break;
            case Act::Sigmoid: applyApart<Act::Sigmoid>(x); break;
            case Act::Relu: apply<Act::Relu>(*step, step->term->row, x, y); break;
            case Act::LeakyRelu: apply<Act::LeakyRelu>(*step, step->term->row, x, y); break;
            case Act::LeakyOfPart: apply<Act::LeakyOfPart>(*step, step->term->row, x, y); break;
            }
    }

    template <Act act>
    __attribute__((always_inline)) void applyApart(Vector<T> (&x)[N]) const
    {
        if constexpr (sizeof(T) == 4) {
            Vector<T> apart[N];
            forEach<N>([&](auto k) __attribute__((always_inline)) { apart[k] = x[k]; });
            exponentials<act, N>(apart);
            forEach<N>([&](auto k) __attribute__((always_inline)) { x[k] = apart[k]; });
        }
    }

    // at: the operand's row.
    template <Act act>
    __attribute__((always_inline)) void apply(const Step& step, const char* at, Vector<T> (&x)[N], Vector<T> (&y)[N]) const
    {
        const T* const row = reinterpret_cast<const T*>(at);
        if constexpr (act == Act::Take) {
            forEach<N>([&](auto k) __attribute__((always_inline)) { x[k] = y[k]; });
        } else if constexpr (act == Act::One) {
            forEach<N>([&](auto k) __attribute__((always_inline)) { y[k] = broadcast(row[0]); });
        } else if constexpr (act == Act::Heads) {
            const Vector<T> heads = loadSome(row, step.term->heads);
            const auto& lanes = m_lanes[step.term - m_terms];
            forEach<N>([&](auto k) __attribute__((always_inline)) { y[k] = permuted<T>(heads, lanes[k]); });
        } else if constexpr (act == Act::Half) {
            if constexpr (sizeof(T) == 4) {
                const BFloat16* const half = reinterpret_cast<const BFloat16*>(row);
                forEachOfRow<N, vectorBytes / 2>([&](auto k) __attribute__((always_inline)) {
                    y[k] = k == N - 1 && m_tail < count ? loadSome(half + k * count, m_tail) : load(half + k * count);
                });
            }
        } else if constexpr (act == Act::Keep) {
            forEach<N>([&](auto k) __attribute__((always_inline)) { step.kept[k] = x[k]; });
        } else if constexpr (act == Act::TakeRow) {
            forEachOfRow<N, vectorBytes>([&](auto k) __attribute__((always_inline)) { x[k] = columns(row, k); });
        } else if constexpr (isWithin(act, Act::AddRow, Act::MinimumRow)) {
            forEachOfRow<N, vectorBytes>([&](auto k) __attribute__((always_inline)) { x[k] = ofBoth<ofY(act), T>(x[k], columns(row, k)); });
        } else if constexpr (isWithin(act, Act::Add, Act::Minimum)) {
            forEach<N>([&](auto k) __attribute__((always_inline)) { x[k] = ofBoth<act, T>(x[k], y[k]); });
        } else {
            const Vector<T> a = broadcast(step.number);
            forEach<N>([&](auto k) __attribute__((always_inline)) { x[k] = ofOne<act, T>(x[k], a); });
        }
    }

    // Groups of neighbouring columns; some began in the columns before, or end in those after.
    __attribute__((always_inline)) void sumWithin(Vector<T> (&x)[N], T* out) const
    {
        const std::int64_t inner = m_inner;
        std::int64_t done = m_done;
        bool isNew = done == 0;
        out += m_group;
        const auto put = [&](T sum) __attribute__((always_inline)) {
            *out = isNew ? sum : *out + sum;
            isNew = true;
            ++out;
        };
        if constexpr (sizeof(T) == 4 && N % 4 == 0)
            if (done == 0 && (inner == count || (N == 8 && inner == 2 * count))) {
                forEach<N / 4>([&](auto i) __attribute__((always_inline)) {
                    if (inner == count)
                        storeFourTotals(out + 4 * i, x[4 * i], x[4 * i + 1], x[4 * i + 2], x[4 * i + 3]);
                });
                if constexpr (N == 8)
                    if (inner == 2 * count)
                        storeFourTotals(out, x[0] + x[1], x[2] + x[3], x[4] + x[5], x[6] + x[7]);
                return;
            }
        if (inner % count == 0) {
            Vector<T> part{};
            forEach<N>([&](auto k) __attribute__((always_inline)) {
                part += x[k];
                done += count;
                if (done == inner) {
                    put(total<T>(part));
                    part = Vector<T>{};
                    done = 0;
                }
            });
            if (done > 0)
                put(total<T>(part));
            return;
        }
        if (m_folds > 0 || inner == 1) {
            forEach<N>([&](auto k) __attribute__((always_inline)) {
                Vector<T> part = x[k];
                for (int fold = 0; fold < m_folds; ++fold)
                    part += permuted<T>(part, m_across[fold]);
                const auto groups = static_cast<int>((k == N - 1 ? m_tail : count) / inner);
                storeSome(out, permuted<T>(part, m_firsts), groups);
                out += groups;
            });
            return;
        }
        T columns[N * count];
        forEach<N>([&](auto k) __attribute__((always_inline)) { store<T>(columns + k * count, x[k]); });
        const std::int64_t last = (N - 1) * count + m_tail;
        for (std::int64_t c = 0; c < last && inner < leastTogether; done = 0) {
            const std::int64_t end = c + inner - done < last ? c + inner - done : last;
            T sum = 0;
            for (; c < end; ++c)
                sum += columns[c];
            put(sum);
        }
        for (std::int64_t c = 0; c < last && inner >= leastTogether; done = 0) {
            const std::int64_t end = c + inner - done < last ? c + inner - done : last;
            Vector<T> part{};
            for (; c < end; c += count)
                part += loadSome(columns + c, static_cast<int>(end - c < count ? end - c : count));
            c = end;
            put(total<T>(part));
        }
    }

    const ChainArguments<T>& m_a;
    const std::int64_t m_column;
    std::int64_t m_inner = 1, m_group = 0, m_done = 0;  // columns of a group that is summed, that of the first column, those of it before
    const int m_tail;
    // Groups that fill a vector: each is folded, which leaves its sum in all of its lanes, and their first ones are stored.
    int m_folds = 0;
    typename Lanes<T>::Index m_across[4], m_firsts;
    Terms m_ofTarget, m_ofEdge, m_ofSource, m_narrowOfSource;
    Term m_terms[mostOperands], m_ofKept[ChainArguments<T>::mostKept];
    typename Lanes<T>::Index m_lanes[mostOperands][N];
    Vector<T> m_kept[ChainArguments<T>::mostKept][N];
    Step m_steps[2 * ChainArguments<T>::mostSteps + 1];
    int m_stepCount = 0;
};

template <class T, int N>
void chainColumns(const ChainArguments<T>& a, std::int64_t column, int tail)
{
    if (a.sumsWithin)
        Columns<T, N, true>(a, column, tail).run();
    else
        Columns<T, N, false>(a, column, tail).run();
}

// Entries of heads are picked from one vector.
template <class T>
bool headsFit(const ChainArguments<T>& a, std::int64_t column, int vectors)
{
    for (int i = 0; i < a.operandCount; ++i)
        if (const std::int64_t heads = a.operands[i].width; heads > 1 && heads < a.target.width) {
            const std::int64_t perHead = a.target.width / heads, last = column + vectors * Lanes<T>::count;
            if (((last < a.target.width ? last : a.target.width) - 1) / perHead - column / perHead >= Lanes<T>::count)
                return false;
        }
    return true;
}

}  // namespace

template <class T>
void chain(const ChainArguments<T>& a)
{
    constexpr int count = Lanes<T>::count;
    const std::int64_t width = a.target.width;
    for (std::int64_t column = 0; column < width;) {
        const std::int64_t left = (width - column + count - 1) / count;
        int vectors = mostInHand;
        while (vectors > left || !headsFit(a, column, vectors))
            vectors /= 2;
        const std::int64_t rest = width - column - static_cast<std::int64_t>(vectors - 1) * count;
        const int tail = static_cast<int>(rest < count ? rest : count);
        if (vectors == 1)
            chainColumns<T, 1>(a, column, tail);
        else if (vectors == 2)
            chainColumns<T, 2>(a, column, tail);
        if constexpr (mostInHand > 2) {
            if (vectors == 4)
                chainColumns<T, 4>(a, column, tail);
            if constexpr (mostInHand > 4)
                if (vectors == 8)
                    chainColumns<T, 8>(a, column, tail);
        }
        column += static_cast<std::int64_t>(vectors) * count;
    }
}

template void chain<float>(const ChainArguments<float>&);
template void chain<double>(const ChainArguments<double>&);

}  // namespace cleave::CLEAVE_ISA
