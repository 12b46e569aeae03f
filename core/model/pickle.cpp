#include "core/model/pickle.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <variant>
#include <vector>

#include "core/base/error.h"
#include "core/base/format.h"
#include "core/base/zip.h"

namespace cleave {

namespace {

struct Object;
using Ref = std::shared_ptr<Object>;

struct Name {
    std::string text;  // "torch._utils _rebuild_tensor_v2"
};
struct Mark {};
struct Tuple {
    std::vector<Ref> items;
};
struct Dictionary {
    std::vector<std::pair<Ref, Ref>> items;
};
struct Storage {
    DType dtype = DType::Unknown;
    std::string key;
};

// What a pickle's stack and memo hold. None is monostate.
struct Object {
    std::variant<std::monostate, bool, std::int64_t, double, std::string, Name, Mark, Tuple, Dictionary, Storage, Weight> value;
};

DType storageType(const std::string& name)
{
    static const std::map<std::string, DType> types{
        {"torch FloatStorage", DType::Float32},   {"torch DoubleStorage", DType::Float64}, {"torch HalfStorage", DType::Float16},
        {"torch BFloat16Storage", DType::BFloat16}, {"torch LongStorage", DType::Int64},   {"torch IntStorage", DType::Int32},
        {"torch ShortStorage", DType::Int16},     {"torch CharStorage", DType::Int8},      {"torch ByteStorage", DType::UInt8},
        {"torch BoolStorage", DType::Bool}};
    const auto known = types.find(name);
    return known == types.end() ? DType::Unknown : known->second;
}

class Unpickler {
public:
    Unpickler(std::span<const std::byte> bytes, const std::string& what) : m_bytes(bytes), m_what(what) {}

    // Objects are emptied one by one: freeing a long chain of them from its head would recurse once for each.
    ~Unpickler()
    {
        for (const Ref& object : m_all)
            object->value = std::monostate{};
    }

    Unpickler(const Unpickler&) = delete;
    Unpickler& operator=(const Unpickler&) = delete;

    Ref run()
    {
        for (;;) {
            const int op = byte();
            if (op == '.')
                return pop();
            step(op);
        }
    }

private:
    static constexpr std::size_t most = 2'000'000;  // objects, and places on the stack
    static constexpr const char* tooMany = "holds too many objects for a dictionary of tensors";

    [[noreturn]] void fail(const std::string& why) const
    {
        throw Error("The model file is damaged: " + printable(m_what) + " " + why + ".");
    }

    const std::byte* take(std::size_t count)
    {
        if (count > m_bytes.size() - m_at)
            fail("ends too early");
        m_at += count;
        return m_bytes.data() + m_at - count;
    }

    int byte() { return std::to_integer<int>(*take(1)); }

    template <class T>
    T little()
    {
        T value;
        std::memcpy(&value, take(sizeof value), sizeof value);
        return value;
    }

    std::string text(std::size_t length)
    {
        const auto* data = reinterpret_cast<const char*>(take(length));
        return {data, length};
    }

    std::string line()
    {
        std::string result;
        for (int c = byte(); c != '\n'; c = byte())
            result += static_cast<char>(c);
        return result;
    }

    template <class T>
    void push(T value)
    {
        if (m_all.size() > most)
            fail(tooMany);
        m_all.push_back(std::make_shared<Object>(Object{std::move(value)}));
        pushAgain(m_all.back());
    }

    void pushAgain(const Ref& ref)
    {
        if (m_stack.size() > most)
            fail(tooMany);
        m_stack.push_back(ref);
    }

    Ref pop()
    {
        if (m_stack.empty())
            fail("is not a valid pickle");
        Ref top = m_stack.back();
        m_stack.pop_back();
        return top;
    }

    template <class T>
    T& as(const Ref& ref) const
    {
        T* value = std::get_if<T>(&ref->value);
        if (!value)
            fail("does not hold a dictionary of tensors");
        return *value;
    }

    std::vector<Ref> popToMark()
    {
        std::vector<Ref> items;
        for (Ref item = pop(); !std::holds_alternative<Mark>(item->value); item = pop())
            items.push_back(item);
        std::ranges::reverse(items);
        return items;
    }

    void tuple(std::size_t count)
    {
        Tuple items;
        for (std::size_t i = 0; i < count; ++i)
            items.items.insert(items.items.begin(), pop());
        push(std::move(items));
    }

    void get(std::size_t slot)
    {
        const auto known = m_memo.find(slot);
        if (known == m_memo.end())
            fail("is not a valid pickle");
        pushAgain(known->second);
    }

    void put(std::size_t slot)
    {
        Ref top = pop();
        m_stack.push_back(top);
        m_memo[slot] = top;
    }

    void setItems(const std::vector<Ref>& items)
    {
        Ref target = pop();
        m_stack.push_back(target);
        if (std::holds_alternative<Weight>(target->value))
            return;
        Dictionary& dictionary = as<Dictionary>(target);
        for (std::size_t i = 0; i + 1 < items.size(); i += 2)
            dictionary.items.emplace_back(items[i], items[i + 1]);
    }

    void step(int op)
    {
        switch (op) {
        case 0x80: byte(); break;                           // PROTO
        case 0x95: little<std::uint64_t>(); break;          // FRAME
        case 'c': { const std::string module = line(); push(Name{module + " " + line()}); break; }
        case 0x93: { const std::string name = as<std::string>(pop()); push(Name{as<std::string>(pop()) + " " + name}); break; }
        case 'q': put(static_cast<std::size_t>(byte())); break;
        case 'r': put(little<std::uint32_t>()); break;
        case 0x94: put(m_memo.size()); break;
        case 'h': get(static_cast<std::size_t>(byte())); break;
        case 'j': get(little<std::uint32_t>()); break;
        case '(': push(Mark{}); break;
        case ')':
        case ']': push(Tuple{}); break;
        case '}': push(Dictionary{}); break;
        case 't':
        case 'l': push(Tuple{popToMark()}); break;
        case 0x85: tuple(1); break;
        case 0x86: tuple(2); break;
        case 0x87: tuple(3); break;
        case 'e': { const auto items = popToMark(); Ref list = pop(); m_stack.push_back(list);
                    auto& to = as<Tuple>(list).items; to.insert(to.end(), items.begin(), items.end()); break; }
        case 'a': { const Ref item = pop(); Ref list = pop(); m_stack.push_back(list); as<Tuple>(list).items.push_back(item); break; }
        case 'K': push(std::int64_t{byte()}); break;
        case 'M': push(std::int64_t{little<std::uint16_t>()}); break;
        case 'J': push(std::int64_t{little<std::int32_t>()}); break;
        case 0x8a: pushLong(); break;
        case 'X': push(text(little<std::uint32_t>())); break;
        case 0x8c: push(text(static_cast<std::size_t>(byte()))); break;
        case 0x88: push(true); break;
        case 0x89: push(false); break;
        case 'N': push(std::monostate{}); break;
        case 'G': pushDouble(); break;
        case 'Q': persistent(); break;
        case 'R': reduce(); break;
        case 'u': setItems(popToMark()); break;
        case 's': { const Ref value = pop(); const Ref key = pop(); setItems({key, value}); break; }
        case 'b':  // attributes of a state dict (_metadata) hold nothing that is needed
        case '0': pop(); break;
        default: fail("uses pickle operation " + std::to_string(op) + ", which a dictionary of tensors does not need");
        }
    }

    void pushLong()
    {
        const std::size_t length = static_cast<std::size_t>(byte());
        if (length > 8)
            fail("holds a number that is too large");
        std::uint64_t value = 0;
        const std::byte* data = take(length);
        for (std::size_t i = 0; i < length; ++i)
            value |= std::to_integer<std::uint64_t>(data[i]) << (8 * i);
        if (length > 0 && length < 8 && (std::to_integer<int>(data[length - 1]) & 0x80))
            value |= ~std::uint64_t{0} << (8 * length);
        push(static_cast<std::int64_t>(value));
    }

    void pushDouble()
    {
        std::uint64_t bits = 0;
        for (int i = 0; i < 8; ++i)
            bits = bits << 8 | static_cast<std::uint64_t>(byte());
        double value;
        std::memcpy(&value, &bits, sizeof value);
        push(value);
    }

    // ("storage", torch.FloatStorage, key, device, numel)
    void persistent()
    {
        const Ref id = pop();
        const auto& items = as<Tuple>(id).items;
        if (items.size() < 5 || as<std::string>(items[0]) != "storage")
            fail("refers to something that is no tensor storage");
        const DType dtype = storageType(as<Name>(items[1]).text);
        if (dtype == DType::Unknown)
            fail("holds a storage of type " + printable(as<Name>(items[1]).text) + ", which Cleave does not read");
        push(Storage{dtype, as<std::string>(items[2])});
    }

    void reduce()
    {
        const Ref arguments = pop();
        const Ref called = pop();
        const auto& items = as<Tuple>(arguments).items;
        const std::string& name = as<Name>(called).text;
        if (name == "collections OrderedDict") {
            push(Dictionary{});
        } else if (name == "torch._utils _rebuild_tensor_v2" && items.size() >= 4) {
            const Storage& storage = as<Storage>(items[0]);
            Weight weight;
            weight.name = storage.key;
            weight.dtype = storage.dtype;
            weight.offset = as<std::int64_t>(items[1]);
            for (const Ref& size : as<Tuple>(items[2]).items)
                weight.sizes.push_back(as<std::int64_t>(size));
            for (const Ref& stride : as<Tuple>(items[3]).items)
                weight.strides.push_back(as<std::int64_t>(stride));
            push(std::move(weight));
        } else if (name.starts_with("torch._utils _rebuild_parameter") && !items.empty()) {
            m_stack.push_back(items[0]);
        } else {
            fail("asks to call " + printable(name) + ", which Cleave never does");
        }
    }

    std::span<const std::byte> m_bytes;
    const std::string& m_what;
    std::size_t m_at = 0;
    std::vector<Ref> m_stack, m_all;
    std::map<std::size_t, Ref> m_memo;
};

}  // namespace

std::map<std::string, Weight> readTensorPickle(std::span<const std::byte> bytes, const std::string& what)
{
    const ZipReader zip(bytes, what);
    std::string prefix;
    for (const ZipEntry& entry : zip.entries())
        if (entry.name.ends_with("data.pkl"))
            prefix = entry.name.substr(0, entry.name.size() - 8);
    const std::vector<std::byte> pickle = zip.read(prefix + "data.pkl", std::uint64_t{1} << 30);
    Unpickler unpickler(pickle, what);
    const Ref root = unpickler.run();
    const auto* dictionary = std::get_if<Dictionary>(&root->value);
    if (!dictionary)
        throw Error("The model file is damaged: " + printable(what) + " does not hold a dictionary of tensors.");
    std::map<std::string, Weight> weights;
    std::map<std::string, std::shared_ptr<const std::vector<std::byte>>> storages;
    for (const auto& [key, value] : dictionary->items) {
        const auto* name = std::get_if<std::string>(&key->value);
        const auto* weight = std::get_if<Weight>(&value->value);
        if (!name || !weight)
            continue;
        auto& storage = storages[weight->name];
        if (!storage)
            storage = std::make_shared<const std::vector<std::byte>>(zip.read(prefix + "data/" + weight->name));
        Weight& found = weights[*name] = *weight;
        found.name = *name;
        found.storage = storage;
    }
    return weights;
}

}  // namespace cleave
