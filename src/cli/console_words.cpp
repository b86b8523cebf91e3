#include "cli/console_words.hpp"

namespace madrigal::cli {

result<std::vector<std::string>> words_of(std::string_view line)
{
    std::vector<std::string> words;
    bool in_word = false;
    char quote = '\0';
    for (char const letter : line) {
        if (letter == '\0')
            return error{errc::invalid_argument, "a null byte, which no name can hold"};
        if (quote != '\0') {
            if (letter == quote)
                quote = '\0';
            else
                words.back() += letter;
            continue;
        }
        if (letter == ' ' || letter == '\t' || letter == '\r' || letter == '\n') {
            in_word = false;
            continue;
        }
        if (!in_word) {
            if (letter == '#')
                return words;
            words.emplace_back();
            in_word = true;
        }
        if (letter == '"' || letter == '\'')
            quote = letter;
        else
            words.back() += letter;
    }
    if (quote != '\0')
        return error{errc::invalid_argument, std::string{"a quote that does not end: "} + quote + words.back()};
    return words;
}

} // namespace madrigal::cli
