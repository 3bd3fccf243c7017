import FoundationEssentials
import Storekeeper

/// The outputs, the clock and the environment variables of a command.
///
/// Tests replace these values.
struct Console {
    let output: TextOutput
    let errors: TextOutput
    /// The current time.
    let now: Instant
    let isOutputTerminal: Bool
    let isErrorTerminal: Bool
    private let variables: Variables
    /// The width of the terminal of standard output, if it is known.
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

    /// The environment variables of the process.
    ///
    /// The variables are read on first use, because reading them takes as long as computing a small answer.
    var environment: [String: String] { variables.values }

    private final class Variables {
        private let read: () -> [String: String]
        private(set) lazy var values = read()
        /// Whether the names of the variables were checked.
        var areChecked = false

        init(_ read: @escaping () -> [String: String]) { self.read = read }
    }

    /// Returns whether this is the first check of the variables' names.
    ///
    /// A command may read its settings in several steps, but must warn of a name only once.
    func beginsCheckOfVariables() -> Bool {
        defer { variables.areChecked = true }
        return !variables.areChecked
    }

    /// The style of text on standard output.
    var style: TerminalStyle {
        let refusal = environment["NO_COLOR"] ?? ""
        return TerminalStyle(isColored: isOutputTerminal && refusal.isEmpty && environment["TERM"] != "dumb")
    }

    /// The maximum number of columns of a line of standard output; `nil` means no limit, as in a pipe or a file.
    ///
    /// The width that the terminal reports takes precedence over `COLUMNS`, which a shell may have set for another
    /// terminal. For a pipe or a file, `COLUMNS` is the limit if it is set.
    var columns: Int? {
        let named = Terminal.width(named: environment["COLUMNS"])
        return isOutputTerminal ? outputColumns ?? named ?? Terminal.usualWidth : named
    }

    /// The number of columns of a drawing on standard output, which is always limited.
    var width: Int { min(max(columns ?? Terminal.usualWidth, 40), 240) }

    /// The maximum number of columns of a line of standard error.
    var errorWidth: Int {
        (isErrorTerminal ? errorColumns : nil) ?? Terminal.width(named: environment["COLUMNS"]) ?? Terminal.usualWidth
    }

    /// Whether a progress bar can be drawn on standard error.
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

    /// The maximum number of diagnostics of a kind that are reported one by one.
    private static let fewDiagnostics = 10

    /// Writes diagnostics about evidence to standard error.
    ///
    /// Of many diagnostics of one kind, only the first are written, followed by the number of the omitted diagnostics.
    /// The JSON output contains all of them.
    ///
    /// - Parameter diagnostics: The diagnostics, sorted by kind.
    func report(_ diagnostics: [Diagnostic]) {
        let kinds = Dictionary(grouping: diagnostics, by: \.code)
        var told: [Diagnostic.Code: Int] = [:]
        for diagnostic in diagnostics {
            let (place, count) = (told[diagnostic.code, default: 0], kinds[diagnostic.code]?.count ?? 0)
            told[diagnostic.code] = place + 1
            // If only one diagnostic remains, it is written, because the line "1 more" would take as much room.
            if place < Self.fewDiagnostics || count == Self.fewDiagnostics + 1 {
                report(diagnostic)
            } else if place == Self.fewDiagnostics {
                let rest = count - Self.fewDiagnostics
                let words = "\(diagnostic.code.rawValue): \(rest) more of the same kind; --format json lists all"
                errors.line("storekeeper: \(diagnostic.severity.rawValue): \(words)")
            }
        }
    }
}
