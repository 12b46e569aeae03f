#include "core/model/pt2_archive.h"

#include <bit>
#include <cstring>

#include "core/base/error.h"
#include "core/base/format.h"
#include "core/base/zip.h"
#include "core/model/json_view.h"
#include "core/model/pickle.h"

namespace cleave {

namespace {

using Bytes = std::shared_ptr<const std::vector<std::byte>>;

constexpr std::uint64_t largestJson = std::uint64_t{1} << 30;

float fromHalf(std::uint16_t half)
{
    const std::uint32_t sign = (half & 0x8000U) << 16;
    std::uint32_t exponent = (half >> 10) & 0x1FU, mantissa = half & 0x3FFU;
    if (exponent == 0x1F)
        return std::bit_cast<float>(sign | 0x7F800000U | mantissa << 13);
    if (exponent == 0) {
        const float tiny = static_cast<float>(mantissa) * 0x1p-24F;
        return sign ? -tiny : tiny;
    }
    return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
}

Bytes widened(const std::vector<std::byte>& halves)
{
    std::vector<std::byte> floats(halves.size() / 2 * 4);
    for (std::size_t i = 0; i < halves.size() / 2; ++i) {
        std::uint16_t half;
        std::memcpy(&half, halves.data() + 2 * i, 2);
        const float value = fromHalf(half);
        std::memcpy(floats.data() + 4 * i, &value, 4);
    }
    return std::make_shared<const std::vector<std::byte>>(std::move(floats));
}

void checkInStorage(const Weight& weight)
{
    const auto fail = [&](const std::string& why) {
        throw Error("The model file is damaged: weight '" + printable(weight.name) + "' " + why + ".");
    };
    if (weight.sizes.size() != weight.strides.size() || weight.sizes.size() > 16)
        fail("has sizes and strides that do not fit together");
    std::int64_t last = weight.offset, count = 1;
    for (std::size_t d = 0; d < weight.sizes.size(); ++d) {
        if (weight.sizes[d] < 0 || weight.strides[d] < 0 || weight.sizes[d] > (std::int64_t{1} << 40) ||
            __builtin_mul_overflow(count, weight.sizes[d], &count))
            fail("has a size or stride that no tensor has");
        std::int64_t reach = 0;
        if (weight.sizes[d] > 0 &&
            (__builtin_mul_overflow(weight.sizes[d] - 1, weight.strides[d], &reach) || __builtin_add_overflow(last, reach, &last)))
            fail("has a size or stride that no tensor has");
    }
    if (count == 0)
        return;
    const auto available = static_cast<std::int64_t>(weight.storage->size() / itemSize(weight.dtype));
    if (weight.offset < 0 || last < 0 || last >= available)
        fail("reaches beyond its " + std::to_string(weight.storage->size()) + " bytes of data");
}

class ArchiveReader {
public:
    ArchiveReader(const std::filesystem::path& path, const Progress& progress) : m_zip(path), m_progress(progress) {}

    Pt2Archive read()
    {
        if (const std::string name = endingWith("serialized_exported_program.json"); !name.empty())
            readOldLayout(name);
        else
            readNewLayout();
        for (auto* weights : {&m_archive.weights, &m_archive.constants})
            for (auto& [name, weight] : *weights) {
                widenHalf(weight);
                checkInStorage(weight);
            }
        return std::move(m_archive);
    }

private:
    std::string endingWith(std::string_view ending) const
    {
        for (const ZipEntry& entry : m_zip.entries())
            if (entry.name == ending || entry.name.ends_with("/" + std::string(ending)))
                return entry.name;
        return {};
    }

    void readOldLayout(const std::string& name)
    {
        m_archive.program = parseJson(m_zip.readText(name, largestJson), name);
        const std::string prefix = name.substr(0, name.size() - std::string_view("serialized_exported_program.json").size());
        for (const auto& [file, weights] : {std::pair("serialized_state_dict.pt", &m_archive.weights),
                                            std::pair("serialized_constants.pt", &m_archive.constants)})
            if (m_zip.contains(prefix + file))
                *weights = pickled(prefix + file);
        if (m_zip.contains(prefix + "serialized_state_dict.json") && m_archive.weights.empty())
            m_archive.weights = pickled(prefix + "serialized_state_dict.json");
    }

    void readNewLayout()
    {
        std::string model;
        for (const ZipEntry& entry : m_zip.entries()) {
            const std::size_t at = entry.name.find("models/");
            if (at == std::string::npos || !entry.name.ends_with(".json") || (at > 0 && entry.name[at - 1] != '/'))
                continue;
            if (!model.empty())
                throw Error("The archive holds several models (" + printable(model) + ", " + printable(entry.name) +
                            "): save one with torch.export.save.");
            model = entry.name;
        }
        const auto isArray = [](const ZipEntry& entry) { return entry.name.ends_with(".npy"); };
        if (model.empty() && !m_zip.entries().empty() && std::ranges::all_of(m_zip.entries(), isArray))
            throw Error("The file holds arrays, as a graph's does, and no exported program: the model comes first, then the graph.");
        if (model.empty())
            throw Error("The file is a zip archive, but holds no exported program: save the model with torch.export.save.");
        const std::size_t at = model.find("models/");
        const std::string prefix = model.substr(0, at), name = model.substr(at + 7, model.size() - at - 7 - 5);
        if (m_zip.contains(prefix + "byteorder") && m_zip.readText(prefix + "byteorder", 100) != "little")
            throw Error("The archive was written on a big-endian machine, which Cleave does not read.");
        m_archive.program = parseJson(m_zip.readText(model, largestJson), model);
        m_archive.weights = tensors(prefix + "data/weights/", name, "weights");
        m_archive.constants = tensors(prefix + "data/constants/", name, "constants");
    }

    std::map<std::string, Weight> tensors(const std::string& folder, const std::string& model, const std::string& kind)
    {
        const std::string config = folder + model + "_" + kind + "_config.json";
        if (!m_zip.contains(config))
            return m_zip.contains(folder + model + ".pt") ? pickled(folder + model + ".pt") : std::map<std::string, Weight>{};
        const nlohmann::json json = parseJson(m_zip.readText(config, largestJson), config);
        std::map<std::string, Weight> weights;
        for (const auto& [name, entry] : JsonView(json, config).at("config").members()) {
            m_progress.check();
            const std::string file = folder + entry.at("path_name").text();
            const auto pickle = entry.find("use_pickle");
            if (pickle && pickle->boolean()) {
                for (const auto& [unused, weight] : pickled(file)) {
                    weights[name] = weight;
                    weights[name].name = name;
                }
                continue;
            }
            const auto meta = entry.find("tensor_meta");
            if (!meta)
                continue;
            weights[name] = weight(name, *meta, file);
        }
        return weights;
    }

    Weight weight(const std::string& name, const JsonView& meta, const std::string& file)
    {
        Weight weight;
        weight.name = name;
        const std::int64_t dtype = meta.at("dtype").integer();
        weight.dtype = dtype == static_cast<int>(DType::Float16) ? DType::Float16 : readDType(dtype, "weight '" + name + "'");
        for (const JsonView& size : meta.at("sizes").items())
            weight.sizes.push_back(size.at("as_int").integer());
        for (const JsonView& stride : meta.at("strides").items())
            weight.strides.push_back(stride.at("as_int").integer());
        weight.offset = meta.at("storage_offset").at("as_int").integer();
        Bytes& bytes = m_storages[file];
        if (!bytes)
            bytes = std::make_shared<const std::vector<std::byte>>(m_zip.read(file));
        weight.storage = bytes;
        return weight;
    }

    // Several weights may be said to lie in the same file.
    const std::map<std::string, Weight>& pickled(const std::string& file)
    {
        const auto [known, isNew] = m_pickles.try_emplace(file);
        if (!isNew)
            return known->second;
        if (const std::vector<std::byte> bytes = m_zip.read(file); !bytes.empty())
            known->second = readTensorPickle(bytes, file);
        return known->second;
    }

    void widenHalf(Weight& weight)
    {
        if (weight.dtype != DType::Float16)
            return;
        m_archive.halfPrecision = true;
        Bytes& wide = m_widened[weight.storage];
        if (!wide)
            wide = widened(*weight.storage);
        weight.storage = wide;
        weight.dtype = DType::Float32;
    }

    ZipReader m_zip;
    const Progress& m_progress;
    Pt2Archive m_archive;
    std::map<std::string, Bytes> m_storages;
    std::map<std::string, std::map<std::string, Weight>> m_pickles;
    std::map<Bytes, Bytes> m_widened;
};

}  // namespace

Pt2Archive readPt2Archive(const std::filesystem::path& path, const Progress& progress)
{
    return ArchiveReader(path, progress).read();
}

DType readDType(std::int64_t serialized, const std::string& what)
{
    const auto dtype = static_cast<DType>(serialized);
    if (serialized < 0 || serialized > 255 || itemSize(dtype) == 0 || dtype == DType::Complex32)
        throw Error(printable(what) + " has element type number " + std::to_string(serialized) + ", which Cleave does not know.");
    return dtype == DType::Float16 ? DType::Float32 : dtype;
}

}  // namespace cleave
