#include <madrigal/wire/method.hpp>
#include <madrigal/wire/numbers.hpp>

namespace madrigal {

std::string to_string(method value)
{
    switch (value) {
    case method::get: return "Get";
    case method::set: return "Set";
    case method::send: return "Send";
    case method::trap: return "Trap";
    case method::report: return "Report";
    case method::trap_repress: return "TrapRepress";
    case method::get_table: return "GetTable";
    case method::get_trace_table: return "GetTraceTable";
    case method::get_multi: return "GetMulti";
    case method::delete_: return "Delete";
    case method::get_response: return "GetResp";
    case method::report_response: return "ReportResp";
    case method::get_table_response: return "GetTableResp";
    case method::get_multi_response: return "GetMultiResp";
    case method::delete_response: return "DeleteResp";
    }
    return hexadecimal(static_cast<unsigned>(value), 2);
}

} // namespace madrigal
