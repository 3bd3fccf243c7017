public import Storekeeper

/// The answer about a product that a test expects, with or without its reason.
///
/// The transaction that decides the answer is not compared.
public struct ExpectedAnswer: Hashable, Sendable, CustomStringConvertible {
    /// The name of the answer, such as `lapsed`.
    private let word: String
    /// The raw value of the reason, such as `refunded`; `nil` matches any reason.
    private let reason: String?

    private init(_ word: String, _ reason: String? = nil) {
        self.word = word
        self.reason = reason
    }

    /// Access for any reason.
    public static let entitled = ExpectedAnswer("entitled")
    /// A purchase that waits for approval, for any reason.
    public static let pending = ExpectedAnswer("pending")
    /// Access that was lost for any reason.
    public static let lapsed = ExpectedAnswer("lapsed")
    /// No purchase, according to complete evidence.
    public static let never = ExpectedAnswer("never")
    /// An unknown answer for any reason.
    public static let unknown = ExpectedAnswer("unknown")

    /// Access for a specific reason.
    public static func entitled(_ reason: EntitlementAnswer.EntitledReason) -> ExpectedAnswer {
        ExpectedAnswer("entitled", reason.rawValue)
    }

    /// A purchase that waits for approval for a specific reason.
    public static func pending(_ reason: EntitlementAnswer.PendingReason) -> ExpectedAnswer {
        ExpectedAnswer("pending", reason.rawValue)
    }

    /// Access that was lost for a specific reason.
    public static func lapsed(_ reason: EntitlementAnswer.LapsedReason) -> ExpectedAnswer {
        ExpectedAnswer("lapsed", reason.rawValue)
    }

    /// An unknown answer for a specific reason.
    public static func unknown(_ reason: EntitlementAnswer.UnknownReason) -> ExpectedAnswer {
        ExpectedAnswer("unknown", reason.rawValue)
    }

    /// Returns whether an answer matches the expectation.
    public func matches(_ answer: EntitlementAnswer) -> Bool {
        answer.word == word && reason.map { $0 == answer.reasonWord } ?? true
    }

    /// The answer and its reason, such as `lapsed (refunded)`.
    public var description: String { reason.map { "\(word) (\($0))" } ?? word }
}
