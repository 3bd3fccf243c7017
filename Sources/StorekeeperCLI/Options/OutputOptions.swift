import ArgumentParser

/// The forms of a result.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
    case text, json
}

/// How a command prints its result.
struct OutputOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp("text for people, json for programs: one document, keys sorted.", valueName: "text|json"))
    var format: OutputFormat = .text
}
