import ArgumentParser

/// The option that names the configuration.
struct ConfigurationOption: ParsableArguments {
    @Option(name: .long, help: .config, completion: .file(extensions: ["yaml", "yml"]))
    var config: String?
}

extension ArgumentHelp {
    /// The help of `--config`.
    static let config = ArgumentHelp(
        "The configuration to read. Default: storekeeper.yaml in the working directory, if it exists.",
        valueName: "file")
}
