#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "core/plan/profile_graph.h"

namespace cleave::cli {

/// What each stage takes, holds and hands on.
std::string stageTable(const ProfileGraph& graph);

/// The same with what is known of the whole graph above it.
std::string describeText(const ProfileGraph& graph);
nlohmann::ordered_json profileJson(const ProfileGraph& graph);

}  // namespace cleave::cli
