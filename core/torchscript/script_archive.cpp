#include "core/torchscript/script_archive.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/format.h"
#include "core/base/zip.h"
#include "core/torchscript/torchscript_reader.h"

namespace cleave {

namespace {

constexpr std::uint64_t largestText = std::uint64_t{64} << 20, largestPickle = std::uint64_t{256} << 20;

[[noreturn]] void damaged(const std::string& what, const std::string& why)
{
    throw Error("The model file is damaged: " + printable(what) + " " + why + ".");
}

std::uint64_t itemSizeOf(std::string_view storage)
{
    static const std::map<std::string_view, std::uint64_t> sizes{
        {"torch DoubleStorage", 8},   {"torch FloatStorage", 4}, {"torch HalfStorage", 2},         {"torch BFloat16Storage", 2},
        {"torch LongStorage", 8},     {"torch IntStorage", 4},   {"torch ShortStorage", 2},        {"torch CharStorage", 1},
        {"torch ByteStorage", 1},     {"torch BoolStorage", 1},  {"torch ComplexFloatStorage", 8}, {"torch ComplexDoubleStorage", 16}};
    const auto known = sizes.find(storage);
    return known == sizes.end() ? 0 : known->second;
}

// Follows a pickle's stack, its memo and the storages that it names: LibTorch's reader takes for granted what is checked here.
class PickleScan {
public:
    PickleScan(const ZipReader& zip, const ZipEntry& entry, const std::vector<std::byte>& bytes)
        : m_zip(zip), m_what(entry.name), m_folder(entry.name.substr(0, entry.name.size() - 4) + "/"), m_bytes(bytes)
    {
    }

    void run()
    {
        for (int op = byte(); op != '.'; op = byte())
            step(op);
        pop();
    }

private:
    // Texts (of the file, or of m_names), and numbers; what else lies on the stack has none.
    struct Object {
        std::string_view text;
        std::int64_t number;  // of a storage: of its elements
        std::shared_ptr<const std::vector<Object>> parts;
        std::shared_ptr<const std::vector<std::int64_t>> numbers = {};  // of a tuple of nothing else, each at least 0
        bool isStorage = false;
    };

    [[noreturn]] void fail() const { damaged(m_what, "is not a valid pickle"); }

    std::size_t skip(std::uint64_t count)
    {
        if (count > m_bytes.size() - m_at)
            damaged(m_what, "ends too early");
        m_at += count;
        return m_at - count;
    }

    int byte() { return std::to_integer<int>(m_bytes[skip(1)]); }

    template <class T>
    T little()
    {
        T value;
        std::memcpy(&value, m_bytes.data() + skip(sizeof value), sizeof value);
        return value;
    }

    std::string line()
    {
        const std::size_t start = m_at;
        while (byte() != '\n') {}
        return {reinterpret_cast<const char*>(m_bytes.data()) + start, m_at - start - 1};
    }

    std::string_view text(std::size_t length)
    {
        const std::size_t at = skip(length);
        return {reinterpret_cast<const char*>(m_bytes.data()) + at, length};
    }

    void push() { push(Object{{}, -1, {}}); }

    void push(Object object)
    {
        if (m_stack.size() > 50'000'000)
            damaged(m_what, "holds too many objects");
        m_stack.push_back(std::move(object));
    }

    Object pop()
    {
        if (m_stack.size() <= (m_marks.empty() ? 0 : m_marks.back()))
            fail();
        Object top = std::move(m_stack.back());
        m_stack.pop_back();
        return top;
    }

    void replace(int popped)
    {
        for (int i = 0; i < popped; ++i)
            pop();
        push();
    }

    std::vector<Object> popToMark()
    {
        if (m_marks.empty())
            fail();
        std::vector<Object> parts(std::make_move_iterator(m_stack.begin() + static_cast<std::ptrdiff_t>(m_marks.back())),
                                  std::make_move_iterator(m_stack.end()));
        m_stack.resize(m_marks.back());
        m_marks.pop_back();
        for (Object& part : parts)
            part.parts.reset();  // nobody looks further, and a long chain of them would be freed recursively
        return parts;
    }

    // As many, or those above the last mark.
    void pushTuple(std::vector<Object> parts)
    {
        Object tuple{{}, -1, {}};
        if (std::ranges::all_of(parts, [](const Object& part) { return part.number >= 0 && !part.isStorage; })) {
            std::vector<std::int64_t> numbers;
            for (const Object& part : parts)
                numbers.push_back(part.number);
            tuple.numbers = std::make_shared<const std::vector<std::int64_t>>(std::move(numbers));
        }
        tuple.parts = std::make_shared<const std::vector<Object>>(std::move(parts));
        push(std::move(tuple));
    }

    void pushTuple(std::size_t size)
    {
        std::vector<Object> parts(size);
        for (std::size_t i = size; i-- > 0;) {
            parts[i] = pop();
            parts[i].parts.reset();
        }
        pushTuple(std::move(parts));
    }

    void mark()
    {
        m_marks.push_back(m_stack.size());
        if (m_marks.size() > 1000)
            damaged(m_what, "is nested too deeply");
    }

    void put(std::uint64_t slot)
    {
        push(pop());
        m_memo[slot] = m_stack.back();
    }

    void get(std::uint64_t slot)
    {
        const auto known = m_memo.find(slot);
        if (known == m_memo.end())
            fail();
        push(known->second);
    }

    // What a function is called with: of one that makes a tensor (storage, offset, sizes, strides, …), where all of it has to lie in the storage.
    void checkCall(const Object& function, const Object& arguments) const
    {
        if (!function.text.ends_with(" _rebuild_tensor_v2") && !function.text.ends_with(" _rebuild_qtensor"))
            return;
        if (!arguments.parts || arguments.parts->size() < 4)
            fail();
        const std::vector<Object>& parts = *arguments.parts;
        if (!parts[0].isStorage || parts[1].number < 0 || !parts[2].numbers || !parts[3].numbers)
            fail();
        const std::vector<std::int64_t>&sizes = *parts[2].numbers, &strides = *parts[3].numbers;
        std::int64_t last = parts[1].number, count = 1;
        bool isThere = sizes.size() == strides.size();
        for (std::size_t d = 0; isThere && d < sizes.size(); ++d) {
            std::int64_t reach = 0;
            isThere = !__builtin_mul_overflow(count, sizes[d], &count) &&
                      (sizes[d] == 0 || (!__builtin_mul_overflow(sizes[d] - 1, strides[d], &reach) && !__builtin_add_overflow(last, reach, &last)));
        }
        if (!isThere || (count > 0 && last >= parts[0].number))
            damaged(m_what, "has a tensor that reaches beyond its data");
    }

    // ("storage", type, key, device, number of elements), of which there are so many.
    std::int64_t checkStorage(const Object& object) const
    {
        if (!object.parts || object.parts->size() != 5)
            fail();
        const std::vector<Object>& parts = *object.parts;
        const std::uint64_t itemSize = itemSizeOf(parts[1].text);
        const ZipEntry* entry = m_zip.find(m_folder + std::string(parts[2].text));
        if (itemSize == 0 || parts[4].number < 0)
            fail();
        const bool isShapeAlone = m_folder.ends_with("traced_inputs/");  // its data is left out, and never read
        if (entry == nullptr || (!isShapeAlone && entry->size / itemSize < static_cast<std::uint64_t>(parts[4].number)))
            damaged(m_folder + std::string(parts[2].text), "holds less data than a tensor needs");
        return parts[4].number;
    }

    void step(int op)
    {
        switch (op) {
        case 0x80: byte(); break;                                           // PROTO
        case 'c': {
            const std::string module = line();
            if (module == "torch._tensor")  // builds tensors by way of other functions, from arguments that are not followed
                damaged(m_what, "holds what no TorchScript archive holds");
            push({*m_names.insert(module + " " + line()).first, -1, {}});
            break;
        }
        case 'q': put(static_cast<std::uint64_t>(byte())); break;
        case 'r': put(little<std::uint32_t>()); break;
        case 'h': get(static_cast<std::uint64_t>(byte())); break;
        case 'j': get(little<std::uint32_t>()); break;
        case '(': mark(); break;
        case ')': pushTuple(0); break;
        case ']': case '}': case 'N': case 0x88: case 0x89: push(); break;  // empty containers, None, True, False
        case 't': pushTuple(popToMark()); break;
        case 0x85: pushTuple(1); break;                                     // TUPLE1 to 3
        case 0x86: pushTuple(2); break;
        case 0x87: pushTuple(3); break;
        case 'e': case 'u': popToMark(); push(pop()); break;                // APPENDS, SETITEMS
        case 'a': replace(2); break;
        case 's': replace(3); break;
        case 'K': push({{}, byte(), {}}); break;
        case 'M': push({{}, little<std::uint16_t>(), {}}); break;
        case 'J': push({{}, little<std::int32_t>(), {}}); break;
        case 'G': little<std::uint64_t>(); push(); break;
        case 0x8A: push({{}, longInteger(), {}}); break;                        // LONG1
        case 'X': push({text(little<std::uint32_t>()), -1, {}}); break;
        case 'Q': { const std::int64_t count = checkStorage(pop()); push({{}, count, {}, {}, true}); break; }  // BINPERSID
        case 'R': { const Object arguments = pop(); checkCall(pop(), arguments); push(); break; }              // REDUCE
        case 0x81: case 'b': replace(2); break;                   // NEWOBJ, BUILD
        default: damaged(m_what, "holds what no TorchScript archive holds");
        }
    }

    std::int64_t longInteger()
    {
        const auto length = static_cast<std::size_t>(byte());
        const std::size_t at = skip(length);
        std::uint64_t value = 0;
        if (length > 8)
            fail();
        for (std::size_t i = 0; i < length; ++i)
            value |= std::to_integer<std::uint64_t>(m_bytes[at + i]) << (8 * i);
        return static_cast<std::int64_t>(value);
    }

    const ZipReader& m_zip;
    const std::string& m_what;
    std::string m_folder;
    const std::vector<std::byte>& m_bytes;
    std::size_t m_at = 0;
    std::vector<Object> m_stack;
    std::vector<std::size_t> m_marks;
    std::map<std::uint64_t, Object> m_memo;
    std::set<std::string> m_names;
};

void screenCode(const std::string& code, const std::string& what)
{
    if (code.find("__setstate__") != std::string::npos)
        throw Error("The model file runs code of its own when it is loaded (__setstate__ in " + printable(what) +
                    "), which Cleave does not allow: export the model by torch.export.");
    int depth = 0, run = 0;
    std::size_t indent = 0;
    bool atStart = true;
    for (const char c : code) {
        depth += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
        run = c == '-' || c == '~' ? run + 1 : c == ' ' ? run : 0;  // signs, which are read recursively
        indent = c == '\n' ? 0 : atStart && c == ' ' ? indent + 1 : indent;
        atStart = c == '\n' || (atStart && c == ' ');
        if (depth > 200 || run > 200 || indent > 400)
            damaged(what, "is nested too deeply");
    }
    int nots = 0;
    for (std::size_t i = 0; i < code.size(); ++i) {
        if (code.compare(i, 3, "not") == 0) {
            i += 2;
            ++nots;
        } else if (std::isspace(static_cast<unsigned char>(code[i])) == 0) {
            nots = 0;
        }
        if (nots > 3)
            damaged(what, "is nested too deeply");
    }
}

}  // namespace

bool isTorchScript(const std::filesystem::path& path)
{
    const ZipReader zip(path);
    return std::ranges::any_of(zip.entries(), [](const ZipEntry& entry) { return entry.name.ends_with("/constants.pkl"); }) &&
           std::ranges::any_of(zip.entries(), [](const ZipEntry& entry) { return entry.name.ends_with("/data.pkl"); });
}

void screenTorchScript(const std::filesystem::path& path)
{
    const ZipReader zip(path);
    std::set<std::string> seen;
    for (const ZipEntry& entry : zip.entries()) {
        if (!seen.insert(entry.name).second)
            damaged(entry.name, "is there twice");
        const bool isPickle = entry.name.ends_with(".pkl") && entry.name.find("debug") == std::string::npos;
        if (isPickle && entry.size > largestPickle)
            damaged(entry.name, "is too large");
        if (entry.name.ends_with(".py"))
            screenCode(zip.readText(entry.name, largestText), entry.name);
        else if (const std::vector<std::byte> bytes = zip.read(entry.name); isPickle)
            PickleScan(zip, entry, bytes).run();
    }
}

}  // namespace cleave
