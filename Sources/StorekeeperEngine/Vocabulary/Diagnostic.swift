/// A remark about the data from which an answer was computed; the answer is valid nevertheless.
public struct Diagnostic: Hashable, Sendable {
    /// The severity of a diagnostic.
    public enum Severity: String, Sendable { case error, warning, note }

    /// A machine-readable code of a diagnostic; the codes are part of the command line's contract.
    ///
    /// Each code is declared once, beside the checks that report it, with its cause, its remedy and its severity.
    public struct Code: ErrorCode {
        /// The code as text.
        public let rawValue: String
        /// The severity of a diagnostic with this code, unless the diagnostic has another.
        package let severity: Severity
        /// What the code means to a person who reads about one customer, by language, such as `de`; empty if no
        /// diagnostic about a customer has the code.
        package let meanings: [String: String]

        /// Creates a code from its text.
        public init(rawValue: String) { self.init(rawValue) }

        /// Declares a code.
        package init(_ rawValue: String, _ severity: Severity = .warning) {
            self.init(rawValue, severity, meanings: [:])
        }

        /// Declares a code of diagnostics about a customer, with its meaning in each language of the desk.
        package init(_ rawValue: String, _ severity: Severity = .warning, english: String, german: String) {
            self.init(rawValue, severity, meanings: ["en": english, "de": german])
        }

        private init(_ rawValue: String, _ severity: Severity, meanings: [String: String]) {
            self.rawValue = rawValue
            self.severity = severity
            self.meanings = meanings
        }
    }

    /// The severity of a diagnostic.
    public var severity: Severity
    /// The code.
    public var code: Code
    /// The product, transaction or verification code that the diagnostic is about.
    ///
    /// The subject is never a position in the input, so that the same evidence in another order has the same
    /// diagnostics.
    public var subject: String?
    /// A description of the problem and its remedy.
    public var message: String
    /// The position in a catalog file, such as `Products[3]` or `Store.storekit: products[0].displayPrice`.
    public var location: String?

    /// Creates a diagnostic with the severity of its code, or another.
    package init(
        _ code: Code, severity: Severity? = nil, subject: String? = nil, message: String, location: String? = nil
    ) {
        self.severity = severity ?? code.severity
        self.code = code
        self.subject = subject
        self.message = message
        self.location = location
    }
}

extension Diagnostic {
    /// Returns the diagnostics without duplicates, sorted by code, then subject, location, message and severity.
    package static func sorted(_ diagnostics: some Sequence<Diagnostic>) -> [Diagnostic] {
        Set(diagnostics).sorted { left, right in
            for (left, right) in zip(left.texts, right.texts) where left != right {
                return (left ?? "") < (right ?? "")
            }
            return left.severity.rawValue < right.severity.rawValue
        }
    }

    /// The texts by which diagnostics are compared and sorted.
    ///
    /// The texts are compared by their bytes, because the subject may be an id.
    private var texts: [ByteIdentifier<Diagnostic>?] {
        [code.rawValue, subject, location, message].map { text in text.map { ByteIdentifier($0) } }
    }

    /// Returns whether two diagnostics are equal.
    public static func == (left: Diagnostic, right: Diagnostic) -> Bool {
        left.severity == right.severity && left.texts == right.texts
    }

    /// Hashes the compared texts.
    public func hash(into hasher: inout Hasher) { hasher.combine(texts) }
}
