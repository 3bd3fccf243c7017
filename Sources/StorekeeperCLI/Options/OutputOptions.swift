import ArgumentParser
import Storekeeper

/// The formats of a result.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
    case text, json
}

extension Console {
    /// Writes a result to standard output in the given format.
    func print(_ format: OutputFormat, json: @autoclosure () -> JSONText, lines: @autoclosure () -> [String]) {
        switch format {
        case .json: output.json(json(), .pretty)
        case .text: for line in lines() { output.line(line) }
        }
    }
}

/// The option for the format of the result.
struct OutputOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp("text for people, or json for programs: one document, keys sorted.", valueName: "text|json"))
    var format: OutputFormat = .text
}
