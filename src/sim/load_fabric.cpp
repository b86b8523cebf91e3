#include <madrigal/sim/fabric.hpp>

#include <madrigal/topology/ibnetdiscover_reader.hpp>

#include <utility>

namespace madrigal::sim {

result<std::shared_ptr<fabric>> load_fabric(std::filesystem::path const& file, fabric_options options)
{
    BOOST_OUTCOME_TRY(auto read, topology::read_ibnetdiscover_file(file.string()));
    if (options.uri == fabric_options{}.uri)
        options.uri += file.string();
    return fabric::make(std::move(read.fabric), std::move(options));
}

} // namespace madrigal::sim
