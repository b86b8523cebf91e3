#include "plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <sys/wait.h>

namespace madrigal::bench {
namespace {

struct point {
    double x = 0;
    double rate = 0;
    double p50 = 0;
    double p99 = 0;
    double p99_9 = 0;
};

point point_of(double x, series const& of)
{
    return {x, median(of.rates()), of.microseconds(0.5), of.microseconds(0.99), of.microseconds(0.999)};
}

bool is_closed(load_report const& one) noexcept
{
    return one.benchmark == "request";
}

/// Each peer's points, whose x ascends.
std::map<std::string, std::vector<point>> curves_of(std::vector<load_report> const& reports)
{
    std::map<std::string, std::map<double, point>> curves;
    for (auto const& one : reports) {
        auto const x = is_closed(one) ? one.options.window : one.options.rate;
        curves[one.mode].insert({x, point_of(x, one.runtime)});
        for (auto const& [name, of] : one.others)
            curves[name].insert({x, point_of(x, of)});
    }
    std::map<std::string, std::vector<point>> sorted;
    for (auto const& [name, points] : curves)
        for (auto const& [x, at] : points)
            sorted[name].push_back(at);
    return sorted;
}

/// A text between single quotes, as gnuplot reads them.
std::string quoted(std::string const& text)
{
    std::string within;
    for (char const letter : text) {
        within += letter;
        if (letter == '\'')
            within += letter;
    }
    return '\'' + within + '\'';
}

std::string terminal_for(std::string const& file)
{
    return file.ends_with(".svg") ? "svg size 900,900 dynamic background rgb 'white' noenhanced"
                                  : "pngcairo size 900,900 noenhanced";
}

/// A panel: for each peer the columns given of its data, each in its own line style.
std::string panel(
    std::map<std::string, std::vector<point>> const& curves, std::vector<std::pair<int, std::string>> const& columns)
{
    std::string lines;
    int peer = 0;
    for (auto const& [name, points] : curves) {
        int dash = 1;
        for (auto const& [column, label] : columns)
            lines += fmt::format("{}$peer{} using 1:{} with linespoints lc {} dt {} title {}",
                lines.empty() ? "plot " : ", ", peer, column, peer + 1, dash++,
                quoted(label.empty() ? name : fmt::format("{} {}", name, label)));
        ++peer;
    }
    return lines + '\n';
}

} // namespace

std::string plot_script(std::vector<load_report> const& reports, std::string const& file)
{
    auto const curves = curves_of(reports);
    std::string script;
    int peer = 0;
    for (auto const& [name, points] : curves) {
        script += fmt::format("$peer{} << end\n", peer++);
        for (auto const& one : points)
            script += fmt::format("{:.0f} {:.0f} {:.3f} {:.3f} {:.3f}\n", one.x, one.rate, one.p50, one.p99, one.p99_9);
        script += "end\n";
    }
    bool const closed = !reports.empty() && is_closed(reports.front());
    auto const where = reports.empty() ? machine{} : reports.front().where;
    script += fmt::format("set terminal {}\nset output {}\nset multiplot layout 2,1 title {}\n", terminal_for(file),
        quoted(file), quoted(fmt::format("{} cores, {}", where.cores, where.kernel)));
    script += "set grid\nset key outside right\nset format y '%.0f'\n";
    script += fmt::format("set xlabel {}\n", quoted(closed ? "requests outstanding" : "wanted rate (1/s)"));
    if (closed)
        script += "set logscale x 2\n";
    script += "set logscale y\nset ylabel 'latency (us)'\n";
    std::vector<std::pair<int, std::string>> latencies{{3, "p50"}, {4, "p99"}};
    if (!closed)
        latencies.emplace_back(5, "p99.9");
    script += panel(curves, latencies);
    script += "unset logscale y\nset yrange [0:*]\nset ylabel 'rate (1/s)'\n";
    script += panel(curves, {{2, ""}});
    return script + "unset multiplot\nset output\n";
}

result<void> check_plot(std::string const& file)
{
    if (!file.ends_with(".svg") && !file.ends_with(".png"))
        return error{errc::invalid_argument, "--plot " + file + ": its name must end in .svg or .png"};
    // NOLINTNEXTLINE(concurrency-mt-unsafe, cert-env33-c): a constant command, and no other thread yet
    if (std::system("command -v gnuplot >/dev/null") != 0)
        return errno_error(ENOENT, "--plot: gnuplot draws, and is not here (Debian: gnuplot-nox)");
    return outcome::success();
}

result<void> plot(std::vector<load_report> const& reports, std::string const& file)
{
    BOOST_OUTCOME_TRY(check_plot(file));
    auto* const pipe = ::popen("gnuplot", "w"); // NOLINT(cert-env33-c): a constant command
    if (pipe == nullptr)
        return errno_error(errno, "gnuplot");
    auto const script = plot_script(reports, file);
    (void)std::fwrite(script.data(), 1, script.size(), pipe);
    auto const status = ::pclose(pipe);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return errno_error(EIO, "gnuplot could not draw " + file);
    return outcome::success();
}

} // namespace madrigal::bench
