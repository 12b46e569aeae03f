#pragma once

#include <cstdint>

#include "core/kernels/primitives.h"

namespace cleave {

/// Rows of several heads: entry c of row i of head h is at data[h * head + i * row + c].
template <class T>
struct HeadRows {
    T* data = nullptr;
    std::int64_t head = 0, row = 0;

    T* at(std::int64_t h, std::int64_t i) const { return data + h * head + i * row; }
};

/// Every query meets every key of its head: softmax(scale * queries keysᵀ + bias) values. T is float or double.
template <class T>
struct AttentionArguments {
    HeadRows<const T> queries;      ///< [heads, queryCount, width]
    HeadRows<const T> keys;         ///< [heads, keyCount, width]
    HeadRows<const T> values;       ///< [heads, keyCount, valueWidth]
    HeadRows<const T> bias;         ///< [heads, keyCount, 1], added to the scores of all queries: -∞ leaves a key out; no data: nothing is added
    HeadRows<T> out;                ///< [heads, queryCount, valueWidth]; zero where all keys are left out
    std::int64_t heads = 1, queryCount = 0, keyCount = 0, width = 0, valueWidth = 0;
    T scale = 1;
};

/// Some queries against keys one block after the other, as Milakov and Gimelshein 2018 and Dao et al. 2022 do: scores of all pairs are never kept.
/// Threads divide heads and queries, and change no bit. Throws std::bad_alloc.
template <class T>
void attend(const AttentionArguments<T>& arguments, Isa isa, int threads);

/// What one thread does at once, compiled for each instruction set: at most queriesTogether of one head's queries.
template <class T>
struct AttentionPart {
    static constexpr std::int64_t queriesTogether = 64, keysTogether = 128;

    const AttentionArguments<T>* of = nullptr;
    std::int64_t head = 0, first = 0, count = 0;  ///< queries first … first + count - 1
    T* scratch = nullptr;                         ///< scratchSize() elements

    static std::int64_t scratchSize(const AttentionArguments<T>& arguments)
    {
        return queriesTogether * (arguments.width + arguments.valueWidth + 2 + keysTogether);
    }
};

}  // namespace cleave
