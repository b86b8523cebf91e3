#include "administration.hpp"

#include <madrigal/subnet/path_answers.hpp>

namespace sm {

void serve_paths(madrigal::sa_server const& server, managed& known)
{
    using madrigal::path_record;
    using asked_type = madrigal::sa_asked<path_record>;
    using records_type = madrigal::sa_records<path_record>;
    // One path is answered at once, without a coroutine: thousands a second are asked for.
    server.serve<path_record>(madrigal::method::get, [&known](asked_type const& asked, records_type& out) {
        return known.now ? answer_path(*known.now, known.groups, asked, out) : not_yet;
    });
    server.serve<path_record>(madrigal::method::get_table,
        [&known](asked_type const& asked, records_type& out) -> boost::asio::awaitable<std::uint16_t> {
            if (!known.now)
                co_return not_yet;
            co_return co_await answer_paths(known.now, known.groups, asked, out);
        });
}

} // namespace sm
