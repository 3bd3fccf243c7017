import ArgumentParser
import Storekeeper

/// Parses arguments into a command, runs it, and prints its result or error.
struct CommandLineTool {
    let console: Console

    /// Runs the command that the arguments name.
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
        // Scripts often ask for the version. Skipping the parser saves a quarter of the time to start the command.
        if arguments == ["--version"] {
            console.output.line(StorekeeperCommand.configuration.version)
            return .success
        }
        if let error = CommandPath.unknownName(in: arguments) {
            console.errors.line(error.description)
            return error.status
        }
        do {
            var command = try StorekeeperCommand.parseAsRoot(arguments)
            if var ours = command as? any ConsoleCommand { return await run(&ours) }
            // The command is `help`, or no command was given; in both cases, the parser's command prints help.
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

    /// Prints the result of a request for help, for the version or for a completion script.
    ///
    /// For any other error of the parser, prints one line on standard error.
    private func answer(_ error: any Error, to arguments: [String]) -> ExitStatus {
        guard StorekeeperCommand.exitCode(for: error) != .success else {
            console.output.line(StorekeeperCommand.fullMessage(for: error))
            return .success
        }
        let name = CommandPath.name(in: arguments)
        if let error = Self.optionFirst(in: arguments) ?? Self.negativeNumber(in: arguments, of: name) {
            console.errors.line(error.description)
            return error.status
        }
        let message = StorekeeperCommand.message(for: error).split(separator: "\n").joined(separator: " ")
        let (what, suggestion) = Self.splitMessage(message.isEmpty ? "the arguments are invalid" : message)
        // A customer who is named without --customer is read as the balance, and the balance as the quantity.
        if what.contains("'<quantity>'"), let name, !Self.namesCustomer(arguments) {
            let line = CommandError.usage(
                "no customer is named", at: "storekeeper \(name)",
                "name the customer with --customer ID, and give BALANCE QUANTITY")
            console.errors.line(line.description)
            return line.status
        }
        let line = CommandError.usage(
            what.hasSuffix(".") ? String(what.dropLast()) : what, at: name.map { "storekeeper \($0)" } ?? "storekeeper",
            suggestion ?? "see 'storekeeper \(name.map { "\($0) " } ?? "")--help'")
        console.errors.line(line.description)
        return .usage
    }

    private static func namesCustomer(_ arguments: [String]) -> Bool {
        arguments.prefix { $0 != "--" }.contains { $0 == "--customer" || $0.hasPrefix("--customer=") }
    }

    /// Returns the error for an option before the command, which the parser reads as an option of `storekeeper` itself.
    private static func optionFirst(in arguments: [String]) -> CommandError? {
        guard let corrected = CommandPath.withCommandFirst(arguments), let name = CommandPath.name(in: corrected),
            let option = arguments.first(where: { $0.hasPrefix("-") })
        else { return nil }
        // A connection string may contain a password, which messages must not quote.
        let isSecret = arguments.contains { word in
            let value = word.hasPrefix("--") ? String(word.drop { $0 != "=" }.dropFirst()) : word
            return VaultLocation.isConnectionString(value) || VaultLocation.resemblesConnectionString(value)
        }
        let isRight = !isSecret && (try? StorekeeperCommand.parseAsRoot(corrected)) != nil
        return .usage(
            "an option stands before the command", at: String(option.prefix { $0 != "=" }),
            isRight
                ? "write \((["storekeeper"] + corrected).shellLine)"
                : "write options after 'storekeeper \(name)'; see 'storekeeper \(name) --help'")
    }

    /// Returns the error for a negative number, which the parser reads as an unknown option.
    private static func negativeNumber(in arguments: [String], of name: String?) -> CommandError? {
        let typed = arguments.prefix { $0 != "--" }
        guard let index = typed.firstIndex(where: { $0.hasPrefix("-") && Double($0) != nil }) else { return nil }
        let number = typed[index]
        let previous = index > 0 ? typed[index - 1] : ""
        if previous.hasPrefix("--") {
            return .usage(
                "'\(number)' is read as an option and not as a value", at: previous,
                "write \(previous)=\(number) if you mean the negative number")
        }
        let command = name.map { "storekeeper \($0)" } ?? "storekeeper"
        if name == "vault spend" || name == "vault grant" {
            return .usage(
                "The value '\(number)' is invalid for '<quantity>': \(BalanceRequestOptions.quantityRule)", at: command,
                "see '\(command) --help'")
        }
        return .usage("'\(number)' is neither an option nor an argument", at: command, "see '\(command) --help'")
    }

    /// Splits the parser's message about an unknown option into the description of the error and the suggestion.
    ///
    /// The parser always suggests the most similar word. A suggestion that is not similar enough to be useful is
    /// dropped.
    private static func splitMessage(_ message: String) -> (what: String, suggestion: String?) {
        guard let dot = message.firstRange(of: ". Did you mean '") else { return (message, nil) }
        let words = message.split(separator: "'", omittingEmptySubsequences: false)
        guard words.count == 5, NearestWord.near(String(words[1]), among: [String(words[3])]) != nil else {
            return (String(message[..<dot.lowerBound]), nil)
        }
        return (String(message[..<dot.lowerBound]), "did you mean '\(words[3])'?")
    }
}

/// Finds the name of a command in its arguments.
enum CommandPath {
    /// Returns the name of the command, such as `verify`, or `vault import` for a command with a parent.
    static func name(in arguments: [String]) -> String? {
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

    /// Returns the arguments with the options that precede the command after it; `nil` if none precedes it.
    ///
    /// `--format json check gold.monthly` becomes `check --format json gold.monthly`.
    static func withCommandFirst(_ arguments: [String]) -> [String]? {
        var names: [String] = []
        var options: [String] = []
        var commands = StorekeeperCommand.configuration.subcommands
        var rest = arguments[...]
        while !commands.isEmpty, let argument = rest.popFirst() {
            if let command = commands.first(where: { $0.configuration.commandName == argument }) {
                names.append(argument)
                commands = command.configuration.subcommands
            } else {
                options.append(argument)
            }
        }
        guard commands.isEmpty, options.first?.hasPrefix("-") == true else { return nil }
        return names + options + rest
    }

    /// Returns the error for an unknown command, which suggests a command with a similar name if one exists.
    ///
    /// The arguments of `help` are checked in the same way.
    static func unknownName(in arguments: [String]) -> CommandError? {
        var parent = "storekeeper"
        var commands = StorekeeperCommand.configuration.subcommands
        var words = arguments[...]
        if words.first == "help" { words = words.dropFirst() }
        while let word = words.popFirst(), !commands.isEmpty, !word.hasPrefix("-") {
            guard let command = commands.first(where: { $0.configuration.commandName == word }) else {
                let near = NearestWord.near(word, among: commands.compactMap { $0.configuration.commandName })
                return .usage(
                    "there is no command '\(word)'", at: parent,
                    near.map { "did you mean '\($0)'?" } ?? "see '\(parent) --help'")
            }
            parent += " \(word)"
            commands = command.configuration.subcommands
        }
        return nil
    }
}

@main
struct Main {
    static func main() async {
        SystemFile.holdClosedStreams()
        SystemFile.endQuietlyOnBrokenPipes()
        SystemFile.failOnTooLargeFiles()
        let tool = CommandLineTool(console: .system())
        let status = await tool.run(Array(CommandLine.arguments.dropFirst()))
        SystemFile.end(status)
    }
}
