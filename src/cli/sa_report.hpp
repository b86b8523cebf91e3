// What subnet administration has said, as text and as JSON.
#pragma once

#include "cli/sa_words.hpp"

#include <madrigal/fabric/sa_question.hpp>

#include <string>

namespace madrigal::cli {

/// Prints the records as the plan wants them shown, piece by piece, so that a table of tens of thousands is never there
/// as one text. Gives an exit code.
[[nodiscard]] int report_text(sa_plan const& plan, sa_record_range const& records);
/// The same as `{"attribute": …, "attribute_id": …, "records": […]}`, a record a line.
[[nodiscard]] int report_json(sa_plan const& plan, sa_record_range const& records);

} // namespace madrigal::cli
