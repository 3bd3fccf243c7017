import FoundationEssentials
import Storekeeper

/// All that a command knows of the world outside: handed in, so that tests can be the world.
struct Console {
    let output: TextOutput
    let errors: TextOutput
    /// The time when nobody says another.
    let now: Instant
    let isOutputTerminal: Bool
    let isErrorTerminal: Bool
    private let variables: Variables
    /// How wide the terminals are, where they say so.
    private let outputColumns: Int?
    private let errorColumns: Int?

    init(
        output: TextOutput, errors: TextOutput, environment: @autoclosure @escaping () -> [String: String],
        now: Instant,
        isOutputTerminal: Bool = false, isErrorTerminal: Bool = false, outputColumns: Int? = nil,
        errorColumns: Int? = nil
    ) {
        self.output = output
        self.errors = errors
        variables = Variables(environment)
        self.now = now
        self.isOutputTerminal = isOutputTerminal
        self.isErrorTerminal = isErrorTerminal
        self.outputColumns = outputColumns
        self.errorColumns = errorColumns
    }

    /// The console of this process.
    static func system() -> Console {
        Console(
            output: TextOutput(descriptor: SystemFile.standardOutput),
            errors: TextOutput(descriptor: SystemFile.standardError),
            environment: ProcessInfo.processInfo.environment, now: Instant(Date()),
            isOutputTerminal: SystemFile.isTerminal(SystemFile.standardOutput),
            isErrorTerminal: SystemFile.isTerminal(SystemFile.standardError),
            outputColumns: Terminal.width(of: SystemFile.standardOutput),
            errorColumns: Terminal.width(of: SystemFile.standardError))
    }

    /// The variables of the process; read when they are first asked for, which takes as long as a small answer does.
    var environment: [String: String] { variables.values }

    private final class Variables {
        private let read: () -> [String: String]
        private(set) lazy var values = read()

        init(_ read: @escaping () -> [String: String]) { self.read = read }
    }

    /// How text on standard output looks.
    var style: TerminalStyle {
        let refusal = environment["NO_COLOR"] ?? ""
        return TerminalStyle(isColored: isOutputTerminal && refusal.isEmpty && environment["TERM"] != "dumb")
    }

    /// How many columns a line of standard output may take; `nil`: as many as it needs, as in a pipe or a file.
    ///
    /// What a terminal says of itself goes before `COLUMNS`, which a shell may have set for another one. Who sets
    /// `COLUMNS` for a pipe wants it to fit.
    var columns: Int? {
        let named = Terminal.width(named: environment["COLUMNS"])
        return isOutputTerminal ? outputColumns ?? named ?? Terminal.usualWidth : named
    }

    /// How many columns a drawing on standard output takes, which has to have a width.
    var width: Int { min(max(columns ?? Terminal.usualWidth, 40), 240) }

    /// How many columns a line of standard error may take.
    var errorWidth: Int {
        (isErrorTerminal ? errorColumns : nil) ?? Terminal.width(named: environment["COLUMNS"]) ?? Terminal.usualWidth
    }

    /// Whether standard error can be drawn upon.
    var drawsProgress: Bool { isErrorTerminal && environment["TERM"] != "dumb" }

    /// Writes a warning line to standard error.
    func warn(_ text: String) { errors.line("storekeeper: warning: \(text)".onOneLine) }

    /// Writes a line that is neither an error nor a warning to standard error.
    func note(_ text: String) { errors.line("storekeeper: note: \(text)".onOneLine) }

    /// Writes a diagnostic to standard error.
    func report(_ diagnostic: Diagnostic) {
        let place = [diagnostic.subject, diagnostic.location].compactMap(\.self).joined(separator: ", ")
        let text = "\(diagnostic.code.rawValue): \(diagnostic.message)\(place.isEmpty ? "" : " (\(place))")"
        errors.line("storekeeper: \(diagnostic.severity.rawValue): \(text)".onOneLine)
    }

    /// How many diagnostics of a kind are told one by one.
    private static let fewDiagnostics = 10

    /// Writes diagnostics about evidence to standard error; of many of one kind the first, then how many more there are.
    ///
    /// An answer in JSON holds all.
    ///
    /// - Parameter diagnostics: Sorted, so that those of a kind stand together.
    func report(_ diagnostics: [Diagnostic]) {
        let kinds = Dictionary(grouping: diagnostics, by: \.code)
        var told: [Diagnostic.Code: Int] = [:]
        for diagnostic in diagnostics {
            let (place, count) = (told[diagnostic.code, default: 0], kinds[diagnostic.code]?.count ?? 0)
            told[diagnostic.code] = place + 1
            // A line that says "1 more" would take the room of that one.
            if place < Self.fewDiagnostics || count == Self.fewDiagnostics + 1 {
                report(diagnostic)
            } else if place == Self.fewDiagnostics {
                let rest = count - Self.fewDiagnostics
                let words = "\(diagnostic.code.rawValue): the same of \(rest) more; with --format json all are named"
                errors.line("storekeeper: \(diagnostic.severity.rawValue): \(words)")
            }
        }
    }
}
