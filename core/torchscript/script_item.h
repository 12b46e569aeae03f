#pragma once

#include <ATen/core/ivalue.h>
#include <ATen/core/jit_type.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/model/program.h"

namespace cleave {

/// How a number or a truth that the program does not compute came from sizes that it has.
struct SizeOrigin {
    std::string op = {};  ///< "lt"; empty: a value of the program, or a literal
    ValueId id = {};
    double number = 0;
    std::vector<std::shared_ptr<const SizeOrigin>> parts = {};
    int depth = 0;
};

struct Item;
using ItemList = std::vector<Item>;
using ItemDictionary = std::vector<std::pair<c10::IValue, Item>>;

/// What a TorchScript value is in one run: its concrete value, and which value of the recorded program it stands for. Lists, tuples and dictionaries
/// hold items, so that a size in a list keeps its origin.
struct Item {
    c10::IValue value;  ///< of what is no list, tuple or dictionary
    ValueId id = {};    ///< invalid for literals
    std::shared_ptr<ItemList> items = {};
    std::shared_ptr<ItemDictionary> dictionary = {};
    bool isTuple = false;
    bool isCount = false;  ///< a tensor without dimensions that holds a number; id is the number's
    ValueId decides = {};  ///< a bool that was read from this tensor's entries
    std::shared_ptr<const SizeOrigin> origin = {};  ///< of a literal

    bool isTensor() const { return value.isTensor() && value.toTensor().defined(); }
};

Item listItem(ItemList items);
Item tupleItem(ItemList items);

/// Literals and constants; containers are taken apart.
Item itemFrom(const c10::IValue& value);

/// What LibTorch's operators take; type says of which type lists are.
c10::IValue concrete(const Item& item, const c10::TypePtr& type);

/// Calls visit(const Item&) for the item or, of containers, for what they hold.
template <class Visit>
void forEachLeaf(const Item& item, Visit&& visit)
{
    if (item.items) {
        for (const Item& part : *item.items)
            forEachLeaf(part, visit);
    } else if (item.dictionary) {
        for (const auto& [key, part] : *item.dictionary)
            forEachLeaf(part, visit);
    } else {
        visit(item);
    }
}

}  // namespace cleave
