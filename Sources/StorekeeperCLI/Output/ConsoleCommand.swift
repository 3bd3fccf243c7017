import ArgumentParser

/// A command that writes to a console and returns an exit status.
protocol ConsoleCommand: ParsableCommand {
    /// Runs the command.
    ///
    /// - Throws: ``CommandError``, which becomes one line on standard error.
    mutating func run(on console: Console) async throws(CommandError) -> ExitStatus
}
