import ArgumentParser

/// Turns arguments into a command, runs it, and turns what came of it into text and a status.
struct CommandLineTool {
    let console: Console

    /// Runs the command that the arguments ask for.
    func run(_ arguments: [String]) async -> ExitStatus {
        let status = await status(of: arguments)
        console.output.flush()
        guard let failure = console.output.failure, !failure.isBrokenPipe else {
            console.errors.flush()
            return status
        }
        let error = CommandError(
            .unwritableFile, "the result cannot be written: \(failure.message)", at: "standard output",
            "make room or choose another place")
        console.errors.line(error.description)
        console.errors.flush()
        return error.status
    }

    private func status(of arguments: [String]) async -> ExitStatus {
        do {
            var command = try StorekeeperCommand.parseAsRoot(arguments)
            if var ours = command as? any ConsoleCommand { return await run(&ours) }
            // Help, or no command at all, which asks for help too.
            try command.run()
            return .success
        } catch {
            return answer(error, to: arguments)
        }
    }

    private func run(_ command: inout any ConsoleCommand) async -> ExitStatus {
        do {
            return try await command.run(on: console)
        } catch {
            console.output.flush()
            console.errors.line(error.description)
            return error.status
        }
    }

    /// Prints help, the version or a completion script; of anything else that the parser says, one line.
    private func answer(_ error: any Error, to arguments: [String]) -> ExitStatus {
        guard StorekeeperCommand.exitCode(for: error) != .success else {
            console.output.line(StorekeeperCommand.fullMessage(for: error))
            return .success
        }
        let name = Self.commandName(in: arguments)
        if name == nil, let word = arguments.first, !word.hasPrefix("-") {
            let error = CommandError.usage(
                "there is no command '\(word)'", at: "storekeeper", "see 'storekeeper --help'")
            console.errors.line(error.description)
            return .usage
        }
        let message = StorekeeperCommand.message(for: error).split(separator: "\n").joined(separator: " ")
        let what = message.isEmpty ? "the arguments are not understood" : message
        let line = CommandError.usage(
            what.hasSuffix(".") ? String(what.dropLast()) : what, at: name.map { "storekeeper \($0)" } ?? "storekeeper",
            "see 'storekeeper \(name.map { "\($0) " } ?? "")--help'")
        console.errors.line(line.description)
        return .usage
    }

    /// The command that arguments name, with its parent: `verify`, `vault import`.
    private static func commandName(in arguments: [String]) -> String? {
        var names: [String] = []
        var commands = StorekeeperCommand.configuration.subcommands
        for argument in arguments {
            guard let command = commands.first(where: { $0.configuration.commandName == argument }) else { continue }
            names.append(argument)
            commands = command.configuration.subcommands
            if commands.isEmpty { break }
        }
        return names.isEmpty ? nil : names.joined(separator: " ")
    }
}

@main
struct Main {
    static func main() async {
        SystemFile.endQuietlyOnBrokenPipes()
        SystemFile.failOnTooLargeFiles()
        let tool = CommandLineTool(console: .system())
        let status = await tool.run(Array(CommandLine.arguments.dropFirst()))
        SystemFile.end(status)
    }
}
