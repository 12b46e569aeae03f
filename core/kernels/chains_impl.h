// Compiled once for each instruction set: CLEAVE_ISA names the namespace.

#include "core/kernels/vectors.h"

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

template <class T>
inline Vector<T> squareRoot(Vector<T> x)
{
#if defined(__AVX512F__)
    if constexpr (sizeof(T) == 4)
        return reinterpret_cast<Vector<T>>(_mm512_sqrt_ps(reinterpret_cast<__m512>(x)));
    else
        return reinterpret_cast<Vector<T>>(_mm512_sqrt_pd(reinterpret_cast<__m512d>(x)));
#elif defined(__AVX2__)
    if constexpr (sizeof(T) == 4)
        return reinterpret_cast<Vector<T>>(_mm256_sqrt_ps(reinterpret_cast<__m256>(x)));
    else
        return reinterpret_cast<Vector<T>>(_mm256_sqrt_pd(reinterpret_cast<__m256d>(x)));
#else
    for (int i = 0; i < Lanes<T>::count; ++i)
        x[i] = std::sqrt(x[i]);
    return x;
#endif
}

// What a step does, x being in hand: decided once, so that each edge costs one jump a step.
enum class Act : std::uint8_t {
    End,
    Take,                      // x = y
    One, Heads, Half,          // y of an operand that is not of whole rows of T
    Keep,
    Add, Subtract, SubtractFrom, Multiply, Divide, DivideInto, Maximum, Minimum,  // of x and y
    TakeRow,                   // the same of x and the operand's row
    AddRow, SubtractRow, SubtractFromRow, MultiplyRow, DivideRow, DivideIntoRow, MaximumRow, MinimumRow,
    AddNumber, MultiplyNumber, NumberMinus, NumberOver, ClampMin, ClampMax, Negate, Absolute, Square, SquareRoot, Reciprocal, ReciprocalRoot, Exp, Sigmoid, Relu,
    LeakyRelu,
};

inline Act actOf(const ChainStep& step)
{
    if (step.kind != ChainStep::Compute)
        return step.kind == ChainStep::Take ? Act::Take : Act::Keep;
    switch (step.code) {
    case EdgeCode::Add: return Act::Add;
    case EdgeCode::Subtract: return step.isSwapped ? Act::SubtractFrom : Act::Subtract;
    case EdgeCode::Multiply: return Act::Multiply;
    case EdgeCode::Divide: return step.isSwapped ? Act::DivideInto : Act::Divide;
    case EdgeCode::Maximum: return Act::Maximum;
    case EdgeCode::Minimum: return Act::Minimum;
    case EdgeCode::AddNumber: return Act::AddNumber;
    case EdgeCode::MultiplyNumber: return Act::MultiplyNumber;
    case EdgeCode::NumberMinus: return Act::NumberMinus;
    case EdgeCode::NumberOver: return Act::NumberOver;
    case EdgeCode::ClampMin: return Act::ClampMin;
    case EdgeCode::ClampMax: return Act::ClampMax;
    case EdgeCode::Negate: return Act::Negate;
    case EdgeCode::Absolute: return Act::Absolute;
    case EdgeCode::Square: return Act::Square;
    case EdgeCode::SquareRoot: return Act::SquareRoot;
    case EdgeCode::Reciprocal: return Act::Reciprocal;
    case EdgeCode::ReciprocalRoot: return Act::ReciprocalRoot;
    case EdgeCode::Exp: return Act::Exp;
    case EdgeCode::Sigmoid: return Act::Sigmoid;
    case EdgeCode::Relu: return Act::Relu;
    case EdgeCode::LeakyRelu: return Act::LeakyRelu;
    default: return Act::End;  // edge_chain.cpp asks for no others
    }
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
        }
        for (int i = 0; i < a.operandCount; ++i)
            place(a.operands[i], m_terms[i], m_lanes[i]);
        for (int i = 0; i < a.stepCount; ++i)
            decode(a.steps[i]);
        m_steps[m_stepCount] = {Act::End, m_terms, nullptr, T(0)};
    }

    void run()
    {
        const ReduceArguments<T>& r = m_a.target;
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
            if constexpr (SumsWithin) {
                for (; e < end; ++e) {
                    compute(x, y, e);
                    sumWithin(x, r.out + (e - r.rowOrigin) * r.outStride);
                }
                continue;
            }
            Vector<T> sum[N];
            T* const out = r.out + row * r.outStride + m_column;
            if (r.starts)
                forEach<N>([&](auto k) __attribute__((always_inline)) { sum[k] = broadcast(takesFirst ? r.empty : r.initial); });
            else
                forEach<N>([&](auto k) __attribute__((always_inline)) { sum[k] = columns(out, k); });
            for (bool isFirst = takesFirst; e < end; ++e, isFirst = false) {
                compute(x, y, e);
                if (!picks)
                    forEach<N>([&](auto k) __attribute__((always_inline)) { sum[k] += x[k]; });
                else if (isFirst)
                    forEach<N>([&](auto k) __attribute__((always_inline)) { sum[k] = x[k]; });
                else if (r.reduce == Reduce::Max)
                    forEach<N>([&](auto k) __attribute__((always_inline)) { sum[k] = combined<Reduce::Max, T>(sum[k], x[k]); });
                else
                    forEach<N>([&](auto k) __attribute__((always_inline)) { sum[k] = combined<Reduce::Min, T>(sum[k], x[k]); });
            }
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

private:
    static constexpr int count = Lanes<T>::count;
    // Edges that rows are asked for ahead: more steps take longer than a sum.
    static constexpr std::int64_t aheadIntoFirst = 12, aheadIntoSecond = 20, farAhead = 64, nearAhead = 3;
    static constexpr int mostOperands = ChainArguments<T>::mostOperands;

    struct Term {
        const char* row;  // of the edge at hand, from the first column on
        const char* base;
        std::int64_t stride;  // bytes
        const std::int32_t* sources;
        std::int64_t origin;
        int heads;
        Act fetch;  // Take: whole rows of T
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
        if (operand.row == EdgeRow::Target)
            m_ofTarget.add(term);
        else if (operand.row != EdgeRow::Same)
            (!term.sources ? m_ofEdge : term.fetch == Act::Take ? m_ofSource : m_narrowOfSource).add(term);
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

    template <int Lines>
    __attribute__((always_inline)) void ask(const char* row) const
    {
        if (m_a.target.ahead != Cache::First)
            forEachOfRow<Lines, 64>([&](auto line) __attribute__((always_inline)) { __builtin_prefetch(row + line * 64, 0, 2); });
        else
            forEachOfRow<Lines, 64>([&](auto line) __attribute__((always_inline)) { __builtin_prefetch(row + line * 64); });
    }

    __attribute__((always_inline)) void compute(Vector<T> (&x)[N], Vector<T> (&y)[N], std::int64_t edge)
    {
        for (int i = 0; i < m_ofEdge.count; ++i)
            m_ofEdge.terms[i]->row = m_ofEdge.terms[i]->base + (edge - m_ofEdge.terms[i]->origin) * m_ofEdge.terms[i]->stride;
        if (edge % touchedAtOnce == 0 && m_a.target.ahead == Cache::First)
            for (int i = 0; i < m_ofSource.count; ++i)
                touch(m_ofSource.terms[i]->base, m_ofSource.terms[i]->stride, m_ofSource.terms[i]->sources, edge, m_a.target.prefetchEnd);
        const bool intoBoth = m_a.target.ahead == Cache::Both;
        const std::int64_t ahead = intoBoth ? farAhead : m_a.target.ahead == Cache::Second ? aheadIntoSecond : aheadIntoFirst;
        const bool hasLater = edge + ahead < m_a.target.prefetchEnd;
        for (int i = 0; i < m_ofSource.count; ++i) {
            Term& term = *m_ofSource.terms[i];
            term.row = term.base + static_cast<std::int64_t>(term.sources[edge]) * term.stride;
            if (hasLater) {
                const char* const later = term.base + static_cast<std::int64_t>(term.sources[edge + ahead]) * term.stride;
                ask<(N * vectorBytes + 63) / 64>(later);
                if (intoBoth) {
                    const char* const next = term.base + static_cast<std::int64_t>(term.sources[edge + nearAhead]) * term.stride;
                    forEachOfRow<(N * vectorBytes + 63) / 64, 64>([&](auto line)
                                                                      __attribute__((always_inline)) { __builtin_prefetch(next + line * 64); });
                }
            }
        }
        for (int i = 0; i < m_narrowOfSource.count; ++i) {
            Term& term = *m_narrowOfSource.terms[i];
            term.row = term.base + static_cast<std::int64_t>(term.sources[edge]) * term.stride;
            if (hasLater) {
                const char* const later = term.base + static_cast<std::int64_t>(term.sources[edge + ahead]) * term.stride;
                __builtin_prefetch(later);
                if (term.fetch == Act::Half)
                    ask<(N * vectorBytes / 2 + 63) / 64>(later);
            }
        }
        for (const Step* step = m_steps;; ++step) {
            const T* const row = reinterpret_cast<const T*>(step->term->row);
            const auto set = [&](auto f) __attribute__((always_inline))
            {
                forEachOfRow<N, vectorBytes>([&](auto k) __attribute__((always_inline)) { x[k] = f(k); });
            };
            const auto ofRow = [&](auto f) __attribute__((always_inline))
            {
                forEachOfRow<N, vectorBytes>([&](auto k) __attribute__((always_inline)) { x[k] = f(x[k], columns(row, k)); });
            };
            const auto ofBoth = [&](auto f) __attribute__((always_inline)) { forEach<N>([&](auto k) __attribute__((always_inline)) { x[k] = f(x[k], y[k]); }); };
            const auto ofNumber = [&](auto f) __attribute__((always_inline)) {
                const Vector<T> a = broadcast(step->number);
                forEach<N>([&](auto k) __attribute__((always_inline)) { x[k] = f(x[k], a); });
            };
            const auto ofOne = [&](auto f) __attribute__((always_inline)) { forEach<N>([&](auto k) __attribute__((always_inline)) { x[k] = f(x[k]); }); };
            using V = Vector<T>;
            const V zero{}, unit = broadcast(T(1));
            switch (step->act) {
            case Act::End: return;
            case Act::Take: set([&](auto k) __attribute__((always_inline)) { return y[k]; }); break;
            case Act::One: forEach<N>([&](auto k) __attribute__((always_inline)) { y[k] = broadcast(row[0]); }); break;
            case Act::Heads: {
                const V heads = loadSome(row, step->term->heads);
                const auto& lanes = m_lanes[step->term - m_terms];
                forEach<N>([&](auto k) __attribute__((always_inline)) { y[k] = permuted<T>(heads, lanes[k]); });
                break;
            }
            case Act::Half:
                if constexpr (sizeof(T) == 4) {
                    const BFloat16* const half = reinterpret_cast<const BFloat16*>(row);
                    forEachOfRow<N, vectorBytes / 2>([&](auto k) __attribute__((always_inline)) {
                        y[k] = k == N - 1 && m_tail < count ? loadSome(half + k * count, m_tail) : load(half + k * count);
                    });
                }
                break;
            case Act::Keep: forEach<N>([&](auto k) __attribute__((always_inline)) { step->kept[k] = x[k]; }); break;
            case Act::Add: ofBoth([](V p, V q) __attribute__((always_inline)) { return p + q; }); break;
            case Act::Subtract: ofBoth([](V p, V q) __attribute__((always_inline)) { return p - q; }); break;
            case Act::SubtractFrom: ofBoth([](V p, V q) __attribute__((always_inline)) { return q - p; }); break;
            case Act::Multiply: ofBoth([](V p, V q) __attribute__((always_inline)) { return p * q; }); break;
            case Act::Divide: ofBoth([](V p, V q) __attribute__((always_inline)) { return p / q; }); break;
            case Act::DivideInto: ofBoth([](V p, V q) __attribute__((always_inline)) { return q / p; }); break;
            case Act::Maximum: ofBoth([](V p, V q) __attribute__((always_inline)) { return combined<Reduce::Max, T>(q, p); }); break;
            case Act::Minimum: ofBoth([](V p, V q) __attribute__((always_inline)) { return combined<Reduce::Min, T>(q, p); }); break;
            case Act::TakeRow: set([&](auto k) __attribute__((always_inline)) { return columns(row, k); }); break;
            case Act::AddRow: ofRow([](V p, V q) __attribute__((always_inline)) { return p + q; }); break;
            case Act::SubtractRow: ofRow([](V p, V q) __attribute__((always_inline)) { return p - q; }); break;
            case Act::SubtractFromRow: ofRow([](V p, V q) __attribute__((always_inline)) { return q - p; }); break;
            case Act::MultiplyRow: ofRow([](V p, V q) __attribute__((always_inline)) { return p * q; }); break;
            case Act::DivideRow: ofRow([](V p, V q) __attribute__((always_inline)) { return p / q; }); break;
            case Act::DivideIntoRow: ofRow([](V p, V q) __attribute__((always_inline)) { return q / p; }); break;
            case Act::MaximumRow: ofRow([](V p, V q) __attribute__((always_inline)) { return combined<Reduce::Max, T>(q, p); }); break;
            case Act::MinimumRow: ofRow([](V p, V q) __attribute__((always_inline)) { return combined<Reduce::Min, T>(q, p); }); break;
            case Act::AddNumber: ofNumber([](V p, V a) __attribute__((always_inline)) { return p + a; }); break;
            case Act::MultiplyNumber: ofNumber([](V p, V a) __attribute__((always_inline)) { return p * a; }); break;
            case Act::NumberMinus: ofNumber([](V p, V a) __attribute__((always_inline)) { return a - p; }); break;
            case Act::NumberOver: ofNumber([](V p, V a) __attribute__((always_inline)) { return a / p; }); break;
            case Act::ClampMin: ofNumber([](V p, V a) __attribute__((always_inline)) { return p < a ? a : p; }); break;
            case Act::ClampMax: ofNumber([](V p, V a) __attribute__((always_inline)) { return p > a ? a : p; }); break;
            case Act::LeakyRelu: ofNumber([&](V p, V a) __attribute__((always_inline)) { return p > zero ? p : p * a; }); break;
            case Act::Negate: ofOne([](V p) __attribute__((always_inline)) { return -p; }); break;
            case Act::Absolute: ofOne([&](V p) __attribute__((always_inline)) { return p < zero ? -p : p + zero; }); break;  // also of -0
            case Act::Square: ofOne([](V p) __attribute__((always_inline)) { return p * p; }); break;
            case Act::SquareRoot: ofOne([](V p) __attribute__((always_inline)) { return squareRoot<T>(p); }); break;
            case Act::Reciprocal: ofOne([&](V p) __attribute__((always_inline)) { return unit / p; }); break;
            case Act::ReciprocalRoot: ofOne([&](V p) __attribute__((always_inline)) { return unit / squareRoot<T>(p); }); break;
            case Act::Relu: ofOne([&](V p) __attribute__((always_inline)) { return p < zero ? zero : p; }); break;
            case Act::Exp:
                if constexpr (sizeof(T) == 4)
                    ofOne([](V p) __attribute__((always_inline)) { return exponential(p); });
                break;
            case Act::Sigmoid:
                if constexpr (sizeof(T) == 4)
                    ofOne([&](V p) __attribute__((always_inline)) { return unit / (unit + exponential(-p)); });
                break;
            }
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
        T columns[N * count];
        forEach<N>([&](auto k) __attribute__((always_inline)) { store<T>(columns + k * count, x[k]); });
        for (std::int64_t c = 0, last = (N - 1) * count + m_tail; c < last; done = 0) {
            const std::int64_t end = c + inner - done < last ? c + inner - done : last;
            T sum = 0;
            for (; c < end; ++c)
                sum += columns[c];
            put(sum);
        }
    }

    const ChainArguments<T>& m_a;
    const std::int64_t m_column;
    std::int64_t m_inner = 1, m_group = 0, m_done = 0;  // columns of a group that is summed, that of the first column, those of it before
    const int m_tail;
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
