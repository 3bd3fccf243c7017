import ArgumentParser

/// The options of a change that the account records with a reason and an operator.
struct RecordOptions: ParsableArguments {
    @Option(name: .long, help: ArgumentHelp("The reason, which the account shows.", valueName: "text"))
    var reason: String

    @Option(name: .long, help: ArgumentHelp("The name of the operator, which the account shows.", valueName: "name"))
    var by: String?

    /// Throws an error if the reason is empty.
    func check() throws(CommandError) {
        guard !reason.isEmpty else {
            throw .usage("the reason is empty", at: "--reason", "give a reason; the account shows it")
        }
    }
}
