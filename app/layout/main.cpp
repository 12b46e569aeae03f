// Lays out bands with Graphviz for another process: says who it is, then answers each line on standard input by one line (dot_protocol.h).
#include <sys/resource.h>

#include <exception>
#include <iostream>
#include <string>

#include "core/layout/dot_layout.h"

int main()
{
    // A failed assertion of dot's is expected now and then: no core files.
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    std::ios::sync_with_stdio(false);
    std::cout << cleave::write(cleave::dotGreeting()) << std::endl;
    std::string line;
    while (std::getline(std::cin, line)) {
        std::string answer;
        try {
            const cleave::DotRequest request = cleave::readRequest(line);
            answer = cleave::write(cleave::dotLayout(request.graph, request.options));
        } catch (const std::exception& problem) {
            answer = cleave::writeProblem(problem.what());
        }
        std::cout << answer << std::endl;
    }
}
