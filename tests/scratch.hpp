// Files of a test.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>

namespace madrigal::testing {

/// A directory that is removed with the object.
class scratch {
public:
    scratch()
    {
        auto name = (std::filesystem::temp_directory_path() / "madrigal-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr)
            throw std::runtime_error{"no directory for files: " + name};
        path_ = name;
    }
    scratch(scratch const&) = delete;
    scratch& operator=(scratch const&) = delete;
    ~scratch()
    {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    [[nodiscard]] std::filesystem::path const& path() const noexcept { return path_; }
    [[nodiscard]] std::string file(std::string const& name) const { return path_ / name; }

private:
    std::filesystem::path path_;
};

} // namespace madrigal::testing
