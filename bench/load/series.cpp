#include "series.hpp"

#include <algorithm>
#include <cstddef>

namespace madrigal::bench {
namespace {

double quotient(double a, double b) noexcept
{
    return b > 0 ? a / b : 0;
}

template <class Function>
std::vector<double> by_pairs(std::vector<double> const& of, std::vector<double> const& to, Function const& function)
{
    std::vector<double> all;
    for (std::size_t i = 0; i != std::min(of.size(), to.size()); ++i)
        all.push_back(function(of[i], to[i]));
    return all;
}

} // namespace

double median(std::vector<double> values) noexcept
{
    if (values.empty())
        return 0;
    auto const half = values.size() / 2;
    std::sort(values.begin(), values.end());
    return values.size() % 2 != 0 ? values[half] : (values[half - 1] + values[half]) / 2;
}

std::vector<double> ratios(series const& of, series const& to)
{
    return by_pairs(of.rates(), to.rates(), quotient);
}

double extra_cpu_ns(series const& of, series const& than)
{
    return median(by_pairs(of.cpu(), than.cpu(), [](double a, double b) { return 1e3 * (a - b); }));
}

double p99_ratio(series const& of, series const& to)
{
    return median(by_pairs(of.p99(), to.p99(), quotient));
}

double cpu_ratio(series const& of, series const& to)
{
    return median(by_pairs(of.cpu(), to.cpu(), quotient));
}

} // namespace madrigal::bench
