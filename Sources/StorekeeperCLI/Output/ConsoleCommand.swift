import ArgumentParser

/// A command that writes where it is told and says how it ended.
protocol ConsoleCommand: ParsableCommand {
    /// Carries the command out.
    ///
    /// - Throws: ``CommandError``, which becomes one line on standard error.
    mutating func run(on console: Console) async throws(CommandError) -> ExitStatus
}
