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
    for (std::int64_t i = bound(1, 0), end = bound(2, size); i < end; i += step)
        part.push_back(all[static_cast<std::size_t>(i)]);
    return list.isTuple ? tupleItem(std::move(part)) : listItem(std::move(part));
}

using Handler = std::function<void(const Node&, const ItemList&, ItemList&)>;

// Operators on lists and tuples; the first operand is one.
const std::map<std::string_view, Handler>& ofLists()
{
    static const std::map<std::string_view, Handler> handlers{
        {"prim::ListUnpack", [](const Node&, const ItemList& in, ItemList& out) { out = listOf(in[0]); }},
        {"prim::TupleUnpack", [](const Node&, const ItemList& in, ItemList& out) { out = listOf(in[0]); }},
        {"prim::TupleIndex", [](const Node&, const ItemList& in, ItemList& out) { out = {listOf(in[0])[place(*in[0].items, number(in[1]))]}; }},
        {"prim::TupleSlice", [](const Node& node, const ItemList& in, ItemList& out) { out = {slice(in[0], {in[0], Item{node.i(c10::attr::beg)}, Item{node.i(c10::attr::end)}})}; }},
        {"aten::__getitem__", [](const Node&, const ItemList& in, ItemList& out) { out = {listOf(in[0])[place(*in[0].items, number(in[1]))]}; }},
        {"aten::_set_item", [](const Node&, const ItemList& in, ItemList& out) { listOf(in[0])[place(*in[0].items, number(in[1]))] = in[2]; out = {in[0]}; }},
        {"aten::append", [](const Node&, const ItemList& in, ItemList& out) { listOf(in[0]).push_back(in[1]); out = {in[0]}; }},
        {"aten::extend", [](const Node&, const ItemList& in, ItemList&) { const ItemList more = listOf(in[1]); listOf(in[0]).insert(in[0].items->end(), more.begin(), more.end()); }},
        {"aten::insert", [](const Node&, const ItemList& in, ItemList&) { in[0].items->insert(in[0].items->begin() + static_cast<std::ptrdiff_t>(place(*in[0].items, number(in[1]), true)), in[2]); }},
        {"aten::pop", [](const Node&, const ItemList& in, ItemList& out) { const auto at = listOf(in[0]).begin() + static_cast<std::ptrdiff_t>(place(*in[0].items, in.size() > 1 ? number(in[1]) : -1)); out = {*at}; in[0].items->erase(at); }},
        {"aten::reverse", [](const Node&, const ItemList& in, ItemList&) { std::ranges::reverse(listOf(in[0])); }},
        {"aten::list", [](const Node&, const ItemList& in, ItemList& out) { out = {listItem(listOf(in[0]))}; }},
        {"aten::copy", [](const Node&, const ItemList& in, ItemList& out) { out = {listItem(listOf(in[0]))}; }},
        {"aten::len", [](const Node&, const ItemList& in, ItemList& out) { out = {Item{static_cast<std::int64_t>(listOf(in[0]).size())}}; }},
        {"aten::slice", [](const Node&, const ItemList& in, ItemList& out) { out = {slice(in[0], in)}; }},
        {"aten::add", [](const Node&, const ItemList& in, ItemList& out) { ItemList all = listOf(in[0]); const ItemList& more = listOf(in[1]); all.insert(all.end(), more.begin(), more.end()); out = {listItem(std::move(all))}; }},
        {"aten::mul", [](const Node&, const ItemList& in, ItemList& out) { ItemList all; for (std::int64_t i = 0; i < std::min<std::int64_t>(number(in[1]), 10'000); ++i) all.insert(all.end(), in[0].items->begin(), in[0].items->end()); out = {listItem(std::move(all))}; }},
    };
    return handlers;
}

Item keysOf(const ItemDictionary& dictionary)
{
    ItemList keys;
    for (const auto& [key, item] : dictionary)
        keys.push_back(Item{key});
    return listItem(std::move(keys));
}

const std::map<std::string_view, Handler>& ofDictionaries()
{
    static const std::map<std::string_view, Handler> handlers{
        {"aten::__getitem__", [](const Node&, const ItemList& in, ItemList& out) { const auto at = find(*in[0].dictionary, in[1].value); if (at == in[0].dictionary->end()) damaged(); out = {at->second}; }},
        {"aten::get", [](const Node&, const ItemList& in, ItemList& out) { const auto at = find(*in[0].dictionary, in[1].value); out = {at == in[0].dictionary->end() ? (in.size() > 2 ? in[2] : Item{}) : at->second}; }},
        {"aten::__contains__", [](const Node&, const ItemList& in, ItemList& out) { out = {Item{find(*in[0].dictionary, in[1].value) != in[0].dictionary->end()}}; }},
        {"aten::_set_item", [](const Node&, const ItemList& in, ItemList&) { const auto at = find(*in[0].dictionary, in[1].value); if (at == in[0].dictionary->end()) in[0].dictionary->emplace_back(in[1].value, in[2]); else at->second = in[2]; }},
        {"aten::len", [](const Node&, const ItemList& in, ItemList& out) { out = {Item{static_cast<std::int64_t>(in[0].dictionary->size())}}; }},
        {"aten::keys", [](const Node&, const ItemList& in, ItemList& out) { out = {keysOf(*in[0].dictionary)}; }},
        {"aten::values", [](const Node&, const ItemList& in, ItemList& out) { ItemList all; for (const auto& entry : *in[0].dictionary) all.push_back(entry.second); out = {listItem(std::move(all))}; }},
        {"aten::items", [](const Node&, const ItemList& in, ItemList& out) { ItemList all; for (const auto& [key, item] : *in[0].dictionary) all.push_back(tupleItem({Item{key}, item})); out = {listItem(std::move(all))}; }},
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
        handler->second(node, inputs, outputs);
    }
    return true;
}

}  // namespace cleave
