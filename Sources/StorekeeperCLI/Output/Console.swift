import FoundationEssentials
import Storekeeper

/// All that a command knows of the world outside: handed in, so that tests can be the world.
struct Console {
    let output: TextOutput
    let errors: TextOutput
    let environment: [String: String]
    /// The time when nobody says another.
    let now: Instant
    let isOutputTerminal: Bool
    let isErrorTerminal: Bool

    init(
        output: TextOutput, errors: TextOutput, environment: [String: String], now: Instant,
        isOutputTerminal: Bool = false, isErrorTerminal: Bool = false
    ) {
        self.output = output
        self.errors = errors
        self.environment = environment
        self.now = now
        self.isOutputTerminal = isOutputTerminal
        self.isErrorTerminal = isErrorTerminal
    }

    /// The console of this process.
    static func system() -> Console {
        Console(
            output: TextOutput(descriptor: SystemFile.standardOutput),
            errors: TextOutput(descriptor: SystemFile.standardError),
            environment: ProcessInfo.processInfo.environment, now: Instant(Date()),
            isOutputTerminal: SystemFile.isTerminal(SystemFile.standardOutput),
            isErrorTerminal: SystemFile.isTerminal(SystemFile.standardError))
    }

    /// How text on standard output looks.
    var style: TerminalStyle {
        let refusal = environment["NO_COLOR"] ?? ""
        return TerminalStyle(isColored: isOutputTerminal && refusal.isEmpty && environment["TERM"] != "dumb")
    }

    /// Writes a warning line to standard error.
    func warn(_ text: String) { errors.line("storekeeper: warning: \(text)".onOneLine) }

    /// Writes a diagnostic to standard error.
    func report(_ diagnostic: Diagnostic) {
        let place = (diagnostic.location ?? diagnostic.subject).map { " (\($0))" } ?? ""
        let text = "\(diagnostic.code.rawValue): \(diagnostic.message)\(place)"
        errors.line("storekeeper: \(diagnostic.severity.rawValue): \(text)".onOneLine)
    }
}
