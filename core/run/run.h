#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/graph/data_graph.h"
#include "core/graph/order.h"
#include "core/plan/counts.h"
#include "core/plan/edge_fusion.h"
#include "core/run/model.h"

namespace cleave {

/// What multiplies matrices; Auto takes the faster one.
enum class Dense : std::uint8_t { Auto, Blas, OneDnn };

/// Where a function adds what it makes of the rows of neighbours to what it makes of the targets' own, and rows come from files: whether both are
/// added up while the rows come.
enum class OwnRows : std::uint8_t {
    Auto,   ///< where less is read that way
    Never,  ///< batches read their own rows
    Always, ///< also where rows lie in memory, if gatherAtOnce is not 0
};

struct RunOptions {
    std::int64_t batchSize = 0;                ///< targets per batch; 0 chooses, a number not below V runs one batch
    NodeOrder order = NodeOrder::Natural;      ///< in which batches take the nodes
    int threads = 0;                           ///< 0: as many as the machine has cores
    Kernels kernels = Kernels::All;            ///< what Cleave's own kernels do instead of LibTorch
    Dense dense = Dense::Auto;
    int batchesAtOnce = 0;                     ///< each on one thread; 1: one by one on all threads, 0 chooses
    /// targets whose edges are reduced before batches run on them; 0: many, where rows come from files, -1: none
    std::int64_t gatherAtOnce = 0;
    OwnRows ownRows = OwnRows::Auto;
    std::vector<std::int64_t> targets;         ///< nodes whose outputs are wanted, in this order; empty: all
    /// of the targets: the name of one of the model's types of nodes, or of a list whose rows it has; outputs with rows of others are left out.
    /// Empty: that of all outputs
    std::string targetType;
    std::map<std::string, std::string> inputs; ///< forward argument -> array of the graph, where the names differ
    /// folder that keeps the save points (.npy) and says which functions are done, new or empty when a run begins (checkStore);
    /// empty: none
    std::filesystem::path store;
    bool narrowStore = false;                  ///< save points of float32 are kept as bfloat16: half the bytes, three digits
    bool resume = false;                       ///< go on with the run in that folder
    std::string device = "cpu";                ///< that functions run on if they can: "cpu", "cuda", "cuda:1", …
    std::vector<bool> onDevice;                ///< by function of the cut: which are to run there; empty: all
    bool strictDevice = false;                 ///< Error where a function cannot run there, instead of a notice
    /// layer-wise: most resident memory to take beyond what is there when the run begins, the rest lies in files; 0: no bound
    std::size_t memoryBytes = 0;
    std::filesystem::path spill;               ///< folder for these files, of which nothing is left; empty: $TMPDIR, or /var/tmp
    /// a run that is over in a moment is done once more, and tells the times of the second: in the first, LibTorch starts threads and compiles
    bool warmsUp = false;
    /// 1, 2, …: each floating-point number of the inputs is moved by its last digit of the type with the fewest that the model computes in, up or down,
    /// each time differently
    int jitter = 0;
    bool randomFeatures = false;               ///< floating-point node features that the graph lacks become normal random numbers, the same each time

    void check() const;  ///< Error if a number is out of range
    int threadsUsed() const;  ///< what 0 means put in
    std::filesystem::path spillFolder() const;
};

constexpr std::string_view keptPlanName = "manifest.plan.json";  ///< in RunOptions::store, of the plan that whoever runs it keeps there

/// Error if RunOptions::store cannot be this folder: it holds a run already, or files of anything else; or, to resume, no run.
void checkStore(const std::filesystem::path& folder, bool resume);

/// Error if outputs are to be written to the file of a save point that a run of the model keeps in RunOptions::store.
void checkIsNoSavePoint(const std::filesystem::path& outputs, const Model& model, const RunOptions& options);

struct NamedArray {
    std::string name;
    Array array;
    int rowDim = 0;  ///< the dimension that counts nodes or edges, as forward has it
    bool isAsked = true;  ///< false: its rows are of others than the targets, and here there are none
    std::int64_t rows = 0;  ///< there are in all, of which the targets' are here; 0: it has no rows of nodes
};

struct FunctionRun {
    std::string name;             ///< "function 2"
    bool wasKept = false;         ///< by the run before, which this one goes on with
    std::int64_t batches = 0;
    std::int64_t rows = 0;        ///< V: rows computed
    std::int64_t blockNodes = 0;  ///< E: nodes of all blocks, each counted once per block that needs it; estimated above a million edges
    std::int64_t edges = 0;       ///< M: edges of all blocks
    double prepareSeconds = 0;    ///< cutting blocks, slicing structure
    double computeSeconds = 0;
    double writeSeconds = 0;      ///< storing save points
    double savedBytes = 0;        ///< written to the store
    double peakBytes = 0;         ///< most memory at once while it ran: of all arrays that the run has made until then and still holds
    std::int64_t gathers = 0;     ///< parts of its targets whose edges were reduced before batches ran on them
    double gatherSeconds = 0;     ///< that this took, of computeSeconds
    bool withOwnRows = false;     ///< and to which the targets' own rows were added as the rows of sources came
    double fileBytesRead = 0;     ///< of rows, where these lie in files
    double fileBytesWritten = 0;
    std::string device;           ///< that it ran on; empty: the processor
    double bytesToDevice = 0, bytesFromDevice = 0;
    double bytesKeptThere = 0;    ///< of save points that stay on the device for the functions after
    /// of the process while batches ran, without the first: memory that was touched for the first time, or came from files
    std::int64_t pageFaults = 0;

    double seconds() const { return prepareSeconds + computeSeconds + writeSeconds; }
};

/// What a cost model said of each function of a run.
struct Prediction {
    std::vector<double> seconds;
    std::vector<double> peakBytes;  ///< as FunctionRun::peakBytes
    double preparationBytes = 0;    ///< as RunResult::preparationBytes
    std::string rates;  ///< where its numbers come from; empty without a prediction

    double mostBytes() const;  ///< as RunResult::peakBytes
};

struct RunResult {
    std::vector<NamedArray> outputs;
    std::vector<std::string> randomInputs;  ///< filled as RunOptions::randomFeatures says
    std::vector<std::string> notices;    ///< sentences on what was asked for and could not be
    std::vector<FunctionRun> functions;  ///< empty for a full-graph run
    std::int64_t batchSize = 0;          ///< that was used
    double prologueSeconds = 0;
    double orderSeconds = 0;             ///< finding the order of nodes and the rows that are needed, and putting edges into it
    double seconds = 0;                  ///< whole run
    double firstSeconds = 0;             ///< RunOptions::warmsUp: of the run before it; 0: there was none
    GraphCounts counts;                  ///< of a layer-wise run: rows of the functions of its cut, without bytes of structure
    Prediction predicted;                ///< filled by predict
    std::string dense;                   ///< what multiplied matrices, in words
    /// RunOptions::memoryBytes, and the most that was resident beyond what was before, as the operating system counts
    double boundBytes = 0, residentBytes = 0;
    /// Most memory at once of all arrays that the run made: prologue, edges in their order, save points, batches; the graph and the weights are
    /// beside it. 0 if not measured.
    double peakBytes = 0;
    double preparationBytes = 0;  ///< likewise, before the first function
};

constexpr double warmUpSeconds = 0.3;  ///< RunOptions::warmsUp: runs that take longer are not repeated, nor those with a store or a bound of memory

/// Runs the uncut program on the whole graph at once. NotEnoughMemory before the system runs out of it.
RunResult runFullGraph(const Model& model, const DataGraph& graph, const RunOptions& options = {}, const Progress& progress = {});

/// Runs function by function, batch by batch over one-hop blocks.
RunResult runLayerWise(const Model& model, const DataGraph& graph, const RunOptions& options = {}, const Progress& progress = {});

/// The same for a graph that nobody reads after it: its arrays are gone when it returns; node features leave memory after the last function that
/// reads them, edges when they are grouped as functions read them. Never twice (RunOptions::warmsUp).
RunResult runLayerWiseAndFree(const Model& model, DataGraph& graph, const RunOptions& options = {}, const Progress& progress = {});

/// How many outputs a run gives rows of, or numbers: all, or those of RunOptions::targetType.
std::size_t outputsAsked(const Model& model, const RunOptions& options);

/// Writes the outputs that are asked for as .npz, each under its name; one alone also as .npy. requireOutputFile: Error for a name that so many are not
/// written to.
void writeOutputs(const std::filesystem::path& path, const std::vector<NamedArray>& outputs);
void requireOutputFile(const std::filesystem::path& path, std::size_t outputs);

}  // namespace cleave
