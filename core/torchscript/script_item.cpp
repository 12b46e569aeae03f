#include "core/torchscript/script_item.h"

#include "core/base/error.h"

namespace cleave {

Item listItem(ItemList items)
{
    Item item;
    item.items = std::make_shared<ItemList>(std::move(items));
    return item;
}

Item tupleItem(ItemList items)
{
    Item item = listItem(std::move(items));
    item.isTuple = true;
    return item;
}

Item itemFrom(const c10::IValue& value)
{
    ItemList items;
    if (value.isTuple()) {
        for (const c10::IValue& part : value.toTupleRef().elements())
            items.push_back(itemFrom(part));
        return tupleItem(std::move(items));
    }
    if (value.isList()) {
        for (const c10::IValue& part : value.toListRef())
            items.push_back(itemFrom(part));
        return listItem(std::move(items));
    }
    if (value.isGenericDict()) {
        Item item;
        item.dictionary = std::make_shared<ItemDictionary>();
        for (const auto& entry : value.toGenericDict())
            item.dictionary->emplace_back(entry.key(), itemFrom(entry.value()));
        return item;
    }
    return Item{value};
}

c10::IValue concrete(const Item& item, const c10::TypePtr& type)
{
    if (const auto optional = type->cast<c10::OptionalType>())
        return item.value.isNone() && !item.items && !item.dictionary ? c10::IValue() : concrete(item, optional->getElementType());
    if (item.items && item.isTuple) {
        const auto tuple = type->cast<c10::TupleType>();
        std::vector<c10::IValue> parts;
        for (std::size_t i = 0; i < item.items->size(); ++i)
            parts.push_back(concrete((*item.items)[i], tuple && i < tuple->elements().size() ? tuple->elements()[i] : c10::AnyType::get()));
        return c10::ivalue::Tuple::create(std::move(parts));
    }
    if (item.items) {
        const auto list = type->cast<c10::ListType>();
        c10::impl::GenericList parts(list ? list->getElementType() : c10::TypePtr(c10::AnyType::get()));
        for (const Item& part : *item.items)
            parts.push_back(concrete(part, parts.elementType()));
        return parts;
    }
    if (item.dictionary) {
        const auto dictionary = type->cast<c10::DictType>();
        if (!dictionary)
            throw Error("The model hands on a dictionary in a way that Cleave does not know.");
        c10::impl::GenericDict parts(dictionary->getKeyType(), dictionary->getValueType());
        for (const auto& [key, part] : *item.dictionary)
            parts.insert(key, concrete(part, dictionary->getValueType()));
        return parts;
    }
    return item.value;
}

}  // namespace cleave
