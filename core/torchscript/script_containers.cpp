#include <algorithm>
#include <functional>
#include <map>

#include "core/base/error.h"
#include "core/torchscript/script_interpreter.h"
#include "core/torchscript/script_source.h"

namespace cleave {

namespace {

using torch::jit::Node;

[[noreturn]] void damaged() { throw Error("The model file is damaged: a list is read where there is none, or beyond its end."); }

ItemList& listOf(const Item& item)
{
    if (!item.items)
        damaged();
    return *item.items;
}

std::size_t place(const ItemList& list, std::int64_t index, bool atEnd = false)
{
    const auto size = static_cast<std::int64_t>(list.size());
    if (index < 0)
        index += size;
    if (index < 0 || index >= size + (atEnd ? 1 : 0))
        damaged();
    return static_cast<std::size_t>(index);
}

std::int64_t number(const Item& item)
{
    if (!item.value.isInt())
        damaged();
    return item.value.toInt();
}

ItemDictionary::iterator find(ItemDictionary& dictionary, const c10::IValue& key)
{
    return std::ranges::find_if(dictionary, [&](const auto& entry) { return entry.first == key; });
}

Item slice(const Item& list, const ItemList& inputs)
{
    const ItemList& all = listOf(list);
    const auto size = static_cast<std::int64_t>(all.size());
    const auto bound = [&](std::size_t i, std::int64_t otherwise) {
        if (i >= inputs.size() || !inputs[i].value.isInt())
            return otherwise;
        const std::int64_t at = inputs[i].value.toInt();
        return std::clamp<std::int64_t>(at < 0 ? at + size : at, 0, size);
    };
    const std::int64_t step = inputs.size() > 3 && inputs[3].value.isInt() ? inputs[3].value.toInt() : 1;
    if (step < 1)
        damaged();
    ItemList part;
    for (std::int64_t i = bound(1, 0), end = bound(2, size); i < end; i += std::min(step, size))
        part.push_back(all[static_cast<std::size_t>(i)]);
    return list.isTuple ? tupleItem(std::move(part)) : listItem(std::move(part));
}

Item joined(const Item& a, const Item& b)
{
    ItemList all = listOf(a);
    const ItemList& more = listOf(b);
    all.insert(all.end(), more.begin(), more.end());
    return listItem(std::move(all));
}

Item repeated(const Item& list, std::int64_t times)
{
    const ItemList& once = listOf(list);
    if (times > 10'000)
        throw Error("The model repeats a list more than 10,000 times.");
    if (times > 0 && once.size() > 1'000'000 / static_cast<std::size_t>(times))
        throw Error("The model repeats a list to more than a million entries.");
    ItemList all;
    for (std::int64_t i = 0; i < times; ++i)
        all.insert(all.end(), once.begin(), once.end());
    return listItem(std::move(all));
}

Item popped(ItemList& list, std::int64_t index)
{
    const auto at = list.begin() + static_cast<std::ptrdiff_t>(place(list, index));
    Item item = std::move(*at);
    list.erase(at);
    return item;
}

void insert(ItemList& list, std::int64_t index, const Item& item)
{
    list.insert(list.begin() + static_cast<std::ptrdiff_t>(place(list, index, true)), item);
}

Item& entry(const ItemList& in) { return listOf(in[0])[place(*in[0].items, number(in[1]))]; }

// What an operator on containers gives for its operands, the first of which is one.
using Handler = std::function<ItemList(const Node&, const ItemList&)>;

const std::map<std::string_view, Handler>& ofLists()
{
    static const std::map<std::string_view, Handler> handlers{
        {"prim::ListUnpack", [](auto&, auto& in) { return listOf(in[0]); }},
        {"prim::TupleUnpack", [](auto&, auto& in) { return listOf(in[0]); }},
        {"prim::TupleIndex", [](auto&, auto& in) { return ItemList{entry(in)}; }},
        {"prim::TupleSlice",
         [](auto& node, auto& in) {
             return ItemList{slice(in[0], {in[0], Item{node.i(c10::attr::beg)}, Item{node.i(c10::attr::end)}})};
         }},
        {"aten::__getitem__", [](auto&, auto& in) { return ItemList{entry(in)}; }},
        {"aten::_set_item",
         [](auto&, auto& in) {
             entry(in) = in[2];
             return ItemList{in[0]};
         }},
        {"aten::append",
         [](auto&, auto& in) {
             listOf(in[0]).push_back(in[1]);
             return ItemList{in[0]};
         }},
        {"aten::extend",
         [](auto&, auto& in) {
             *in[0].items = *joined(in[0], in[1]).items;
             return ItemList{};
         }},
        {"aten::insert",
         [](auto&, auto& in) {
             insert(listOf(in[0]), number(in[1]), in[2]);
             return ItemList{};
         }},
        {"aten::pop", [](auto&, auto& in) { return ItemList{popped(listOf(in[0]), in.size() > 1 ? number(in[1]) : -1)}; }},
        {"aten::reverse",
         [](auto&, auto& in) {
             std::ranges::reverse(listOf(in[0]));
             return ItemList{};
         }},
        {"aten::list", [](auto&, auto& in) { return ItemList{listItem(listOf(in[0]))}; }},
        {"aten::copy", [](auto&, auto& in) { return ItemList{listItem(listOf(in[0]))}; }},
        {"aten::len", [](auto&, auto& in) { return ItemList{Item{static_cast<std::int64_t>(listOf(in[0]).size())}}; }},
        {"aten::slice", [](auto&, auto& in) { return ItemList{slice(in[0], in)}; }},
        {"aten::add", [](auto&, auto& in) { return ItemList{joined(in[0], in[1])}; }},
        {"aten::mul", [](auto&, auto& in) { return ItemList{repeated(in[0], number(in[1]))}; }},
    };
    return handlers;
}

const Item& valueOf(const ItemList& in)
{
    const auto at = find(*in[0].dictionary, in[1].value);
    if (at == in[0].dictionary->end())
        damaged();
    return at->second;
}

Item valueOr(const ItemList& in)
{
    const auto at = find(*in[0].dictionary, in[1].value);
    return at != in[0].dictionary->end() ? at->second : in.size() > 2 ? in[2] : Item{};
}

void setValue(const ItemList& in)
{
    if (const auto at = find(*in[0].dictionary, in[1].value); at != in[0].dictionary->end())
        at->second = in[2];
    else
        in[0].dictionary->emplace_back(in[1].value, in[2]);
}

template <class Part>
ItemList listedParts(const Item& dictionary, Part&& part)
{
    ItemList parts;
    for (const auto& [key, item] : *dictionary.dictionary)
        parts.push_back(part(key, item));
    return {listItem(std::move(parts))};
}

const std::map<std::string_view, Handler>& ofDictionaries()
{
    static const std::map<std::string_view, Handler> handlers{
        {"aten::__getitem__", [](auto&, auto& in) { return ItemList{valueOf(in)}; }},
        {"aten::get", [](auto&, auto& in) { return ItemList{valueOr(in)}; }},
        {"aten::__contains__", [](auto&, auto& in) { return ItemList{Item{find(*in[0].dictionary, in[1].value) != in[0].dictionary->end()}}; }},
        {"aten::_set_item", [](auto&, auto& in) { setValue(in); return ItemList{}; }},
        {"aten::len", [](auto&, auto& in) { return ItemList{Item{static_cast<std::int64_t>(in[0].dictionary->size())}}; }},
        {"aten::keys", [](auto&, auto& in) { return listedParts(in[0], [](auto& key, auto&) { return Item{key}; }); }},
        {"aten::values", [](auto&, auto& in) { return listedParts(in[0], [](auto&, auto& item) { return item; }); }},
        {"aten::items", [](auto&, auto& in) { return listedParts(in[0], [](auto& key, auto& item) { return tupleItem({Item{key}, item}); }); }},
    };
    return handlers;
}

}  // namespace

bool ScriptInterpreter::runContainer(const Node& node, const ItemList& inputs, ItemList& outputs)
{
    if (is(node, "prim::ListConstruct")) {
        outputs = {listItem(inputs)};
    } else if (is(node, "prim::TupleConstruct")) {
        outputs = {tupleItem(inputs)};
    } else if (is(node, "prim::DictConstruct")) {
        Item made;
        made.dictionary = std::make_shared<ItemDictionary>();
        for (std::size_t i = 0; i + 1 < inputs.size(); i += 2)
            made.dictionary->emplace_back(inputs[i].value, inputs[i + 1]);
        outputs = {made};
    } else {
        if (inputs.empty() || (!inputs[0].items && !inputs[0].dictionary))
            return false;
        const auto& handlers = inputs[0].items ? ofLists() : ofDictionaries();
        const auto handler = handlers.find(node.kind().toQualString());
        if (handler == handlers.end())
            return false;
        outputs = handler->second(node, inputs);
    }
    return true;
}

}  // namespace cleave
