#include "core/layout/dot_protocol.h"

#include <nlohmann/json.hpp>

#include "core/base/error.h"

namespace cleave {

namespace {

using Json = nlohmann::json;

Json toJson(const LayoutPoint& p)
{
    return Json::array({p.x, p.y});
}

LayoutPoint point(const Json& json)
{
    return {json.at(0).get<double>(), json.at(1).get<double>()};
}

auto parsed(const std::string& line, auto read)
{
    try {
        return read(Json::parse(line));
    } catch (const Json::exception& problem) {
        throw Error(std::string("The layout helper and the program do not understand each other: ") + problem.what() + ".");
    }
}

}  // namespace

std::string write(const DotGreeting& greeting)
{
    return Json{{"graphviz", greeting.version}, {"dot", greeting.hasPlugin}}.dump();
}

std::string write(const BandGraph& graph, const LayoutOptions& options)
{
    Json boxes = Json::array(), arrows = Json::array();
    for (const BandBox& box : graph.boxes)
        boxes.push_back({box.width, box.height, static_cast<int>(box.rank), box.group});
    for (const LayoutArrow& arrow : graph.arrows)
        arrows.push_back({arrow.from, arrow.to});
    return Json{{"boxes", boxes},
                {"groups", graph.groupParents},
                {"arrows", arrows},
                {"first", graph.firstOrder},
                {"box_gap", options.boxGap},
                {"rank_gap", options.rankGap},
                {"group_margin", options.groupMargin}}
        .dump();
}

std::string write(const BandDrawing& drawing)
{
    Json centres = Json::array(), paths = Json::array(), groups = Json::array();
    for (const LayoutPoint& centre : drawing.centres)
        centres.push_back(toJson(centre));
    for (const std::vector<LayoutPoint>& path : drawing.paths) {
        Json points = Json::array();
        for (const LayoutPoint& p : path)
            points.push_back(toJson(p));
        paths.push_back(std::move(points));
    }
    for (const LayoutRect& rect : drawing.groups)
        groups.push_back({rect.left, rect.top, rect.right, rect.bottom});
    return Json{{"centres", centres}, {"paths", paths}, {"groups", groups}}.dump();
}

std::string writeProblem(const std::string& sentence)
{
    return Json{{"error", sentence}}.dump(-1, ' ', false, Json::error_handler_t::replace);
}

DotGreeting readGreeting(const std::string& line)
{
    return parsed(line, [](const Json& json) { return DotGreeting{json.at("graphviz").get<std::string>(), json.at("dot").get<bool>()}; });
}

DotRequest readRequest(const std::string& line)
{
    return parsed(line, [](const Json& json) {
        DotRequest request;
        for (const Json& box : json.at("boxes"))
            request.graph.boxes.push_back(
                {box.at(0).get<double>(), box.at(1).get<double>(), static_cast<BandRank>(box.at(2).get<int>()), box.at(3).get<int>()});
        json.at("groups").get_to(request.graph.groupParents);
        for (const Json& arrow : json.at("arrows"))
            request.graph.arrows.push_back({arrow.at(0).get<int>(), arrow.at(1).get<int>()});
        json.at("first").get_to(request.graph.firstOrder);
        json.at("box_gap").get_to(request.options.boxGap);
        json.at("rank_gap").get_to(request.options.rankGap);
        json.at("group_margin").get_to(request.options.groupMargin);
        return request;
    });
}

BandDrawing readDrawing(const std::string& line)
{
    return parsed(line, [](const Json& json) {
        if (const auto problem = json.find("error"); problem != json.end())
            throw Error(problem->get<std::string>());
        BandDrawing drawing;
        for (const Json& centre : json.at("centres"))
            drawing.centres.push_back(point(centre));
        for (const Json& path : json.at("paths")) {
            drawing.paths.emplace_back();
            for (const Json& p : path)
                drawing.paths.back().push_back(point(p));
        }
        for (const Json& rect : json.at("groups"))
            drawing.groups.push_back({rect.at(0).get<double>(), rect.at(1).get<double>(), rect.at(2).get<double>(), rect.at(3).get<double>()});
        return drawing;
    });
}

}  // namespace cleave
