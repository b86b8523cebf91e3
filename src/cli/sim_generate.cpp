#include "cli/sim_generate.hpp"

#include "cli/complain.hpp"
#include "cli/numbers.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"

#include <madrigal/topology/generators.hpp>
#include <madrigal/topology/ibnetdiscover_writer.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace madrigal::cli {
namespace {

using namespace topology;

constexpr number_range count{1, max_generated_nodes};

/// A shape's command: its numbers, the options of all shapes, and where the file goes.
template <class Shape>
struct shape_arguments {
    Shape shape;
    generate_options options;
    std::string file;

    int run() const
    {
        auto const made = generate(shape, options);
        if (!made)
            return fail(made.error());
        return write_results(write_ibnetdiscover(made.value()), file);
    }
};

/// `4x`, or `4` as people say it.
std::optional<link_width> width_of(std::string text)
{
    if (!text.empty() && text.back() >= '0' && text.back() <= '9')
        text += 'x';
    return text == "none" ? link_width::none : parse_link_width(text);
}

std::optional<link_speed> speed_of(std::string const& text)
{
    return text == "none" ? link_speed::none : parse_link_speed(text);
}

void add_cable_options(CLI::App& to, generate_options& options)
{
    to.add_option_function<std::string>(
          "--width",
          [&options](std::string const& text) {
              auto const width = width_of(text);
              if (!width || text == "?")
                  throw CLI::ValidationError("--width", "'" + text + "' is none of 1x, 2x, 4x, 8x, 12x, none");
              options.width = *width;
          },
          "Lanes of every cable: 1x, 2x, 4x, 8x or 12x; 'none' leaves it out")
        ->type_name("WIDTH")
        ->default_str(std::string{to_string(options.width)});
    to.add_option_function<std::string>(
          "--speed",
          [&options](std::string const& text) {
              auto const speed = speed_of(text);
              if (!speed || text == "?")
                  throw CLI::ValidationError(
                      "--speed", "'" + text + "' is none of SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR, XDR, none");
              options.speed = *speed;
          },
          "Speed of every cable: SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR or XDR; 'none' leaves it out")
        ->type_name("SPEED")
        ->default_str(std::string{to_string(options.speed)});
}

/// `6x6x6`
std::vector<unsigned> sizes_of(std::string_view text)
{
    std::vector<unsigned> sizes;
    for (std::string_view rest = text;;) {
        auto const end = rest.find_first_of("xX,");
        auto const number = parse_number(rest.substr(0, end));
        if (!number || *number < count.lowest || *number > count.highest)
            throw CLI::ValidationError(
                "--dims", "'" + std::string{text} + "' is not a list of sizes such as 6x6x6, each from 1 to 50000");
        sizes.push_back(static_cast<unsigned>(*number));
        if (end == std::string_view::npos)
            return sizes;
        rest.remove_prefix(end + 1);
    }
}

/// Adds the command of one shape; `add_own` adds the options that only it has.
template <class Shape, class AddOwn>
void add_shape(
    CLI::App& generate, std::string const& name, std::string const& help, std::function<int()>& chosen, AddOwn add_own)
{
    auto* const arguments = generate.add_subcommand(name, help);
    auto const wanted = std::make_shared<shape_arguments<Shape>>();
    add_standard_options(*arguments);
    add_own(*arguments, wanted->shape);
    add_cable_options(*arguments, wanted->options);
    add_number(*arguments, "--switch-ports", {0, max_node_ports}, wanted->options.switch_ports,
        "Ports of every switch; 0: as many as its cables need");
    arguments->add_flag("--lids", wanted->options.assign_lids, "Set LIDs, from 1 upwards; without it they are unset");
    arguments->add_option("-o,--output", wanted->file, "Write to FILE instead of standard output")->type_name("FILE");
    arguments->callback([&chosen, wanted] { chosen = [wanted] { return wanted->run(); }; });
}

void add_trees(CLI::App& to, std::function<int()>& chosen)
{
    add_shape<fat_tree>(to, "fat-tree", "Leaf and spine: every leaf is cabled to every spine", chosen,
        [](CLI::App& own, fat_tree& shape) {
            add_number(own, "--leaves", count, shape.leaves, "Leaf switches");
            add_number(own, "--hosts", count, shape.hosts_per_leaf, "Hosts at each leaf");
            add_number(own, "--spines", count, shape.spines, "Spine switches");
            add_number(own, "--cables", count, shape.cables, "Cables between each leaf and each spine");
        });
    add_shape<three_level_fat_tree>(to, "three-level-fat-tree", "Pods of leaves and spines under common cores", chosen,
        [](CLI::App& own, three_level_fat_tree& shape) {
            add_number(own, "--pods", count, shape.pods, "Pods");
            add_number(own, "--leaves", count, shape.leaves_per_pod, "Leaf switches in each pod");
            add_number(own, "--hosts", count, shape.hosts_per_leaf, "Hosts at each leaf");
            add_number(own, "--spines", count, shape.spines_per_pod, "Spine switches in each pod, one in each plane");
            add_number(own, "--cores", count, shape.cores_per_plane, "Core switches in each plane");
        });
    add_shape<k_ary_n_tree>(to, "k-ary-n-tree", "k^n hosts under n levels of k^(n-1) switches", chosen,
        [](CLI::App& own, k_ary_n_tree& shape) {
            add_number(own, "--k,-k", count, shape.k, "Half the ports of a switch");
            add_number(own, "--n,-n", count, shape.n, "Levels of switches");
        });
}

void add_direct_networks(CLI::App& to, std::function<int()>& chosen)
{
    add_shape<torus>(
        to, "torus", "A grid of switches that is closed around its edges", chosen, [](CLI::App& own, torus& shape) {
            own.add_option_function<std::string>(
                   "--dims", [&shape](std::string const& text) { shape.sizes = sizes_of(text); },
                   "Switches in each of one to six dimensions")
                ->type_name("AxBxC")
                ->default_str("4x4");
            add_number(own, "--hosts", count, shape.hosts_per_switch, "Hosts at each switch");
        });
    add_shape<dragonfly>(to, "dragonfly", "Groups of switches, each group cabled to every other", chosen,
        [](CLI::App& own, dragonfly& shape) {
            add_number(own, "--groups", count, shape.groups, "Groups");
            add_number(own, "--routers", count, shape.routers_per_group, "Switches in each group");
            add_number(own, "--hosts", count, shape.hosts_per_router, "Hosts at each switch");
            add_number(own, "--global-links", count, shape.global_links_per_router,
                "Cables of each switch that lead to other groups, at most");
        });
    add_shape<random_graph>(
        to, "random", "A connected graph, drawn from a seed", chosen, [](CLI::App& own, random_graph& shape) {
            add_number(own, "--switches", count, shape.switches, "Switches");
            add_number(own, "--hosts", count, shape.hosts, "Hosts in all, spread evenly");
            add_number(own, "--degree", count, shape.degree, "Cables of a switch to other switches, at most");
            add_number(own, "--seed", {0, UINT64_MAX}, shape.seed, "Where the randomness comes from");
        });
}

} // namespace

std::function<int()> add_sim_generate(CLI::App& sim)
{
    auto* const arguments = sim.add_subcommand(
        "generate", "Write the topology file of a fabric, of up to 50000 nodes, for the host sim:FILE");
    add_standard_options(*arguments);
    arguments->require_subcommand(1);
    auto const chosen = std::make_shared<std::function<int()>>();
    add_trees(*arguments, *chosen);
    add_direct_networks(*arguments, *chosen);
    return [chosen] { return (*chosen)(); };
}

} // namespace madrigal::cli
