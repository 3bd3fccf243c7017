import ArgumentParser

/// Which configuration counts.
struct ConfigurationOption: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "The configuration to read. Default: storekeeper.yaml in the working directory, if it is there.",
            valueName: "file"),
        completion: .file(extensions: ["yaml", "yml"]))
    var config: String?
}
