public import Storekeeper

/// What a test expects of a customer's answer about a product: which of the five, and why, where the reason matters.
///
/// The transaction that decides is not compared.
public struct ExpectedAnswer: Hashable, Sendable, CustomStringConvertible {
    /// The word of the answer.
    private let word: String
    /// The word of the reason; `nil` for any.
    private let reason: String?

    private init(_ word: String, _ reason: String? = nil) {
        self.word = word
        self.reason = reason
    }

    /// Access, for whatever reason.
    public static let entitled = ExpectedAnswer("entitled")
    /// Waiting for somebody's approval, whoever that is.
    public static let pending = ExpectedAnswer("pending")
    /// Access that is lost, for whatever reason.
    public static let lapsed = ExpectedAnswer("lapsed")
    /// Never bought, by evidence that is complete.
    public static let never = ExpectedAnswer("never")
    /// Nobody can tell, for whatever reason.
    public static let unknown = ExpectedAnswer("unknown")

    /// Access for a reason.
    public static func entitled(_ reason: EntitlementAnswer.EntitledReason) -> ExpectedAnswer {
        ExpectedAnswer("entitled", reason.rawValue)
    }

    /// Waiting for one approval.
    public static func pending(_ reason: EntitlementAnswer.PendingReason) -> ExpectedAnswer {
        ExpectedAnswer("pending", reason.rawValue)
    }

    /// Access that is lost for a reason.
    public static func lapsed(_ reason: EntitlementAnswer.LapsedReason) -> ExpectedAnswer {
        ExpectedAnswer("lapsed", reason.rawValue)
    }

    /// Nobody can tell, for a reason.
    public static func unknown(_ reason: EntitlementAnswer.UnknownReason) -> ExpectedAnswer {
        ExpectedAnswer("unknown", reason.rawValue)
    }

    /// Whether an answer is what was expected.
    public func matches(_ answer: EntitlementAnswer) -> Bool {
        answer.word == word && reason.map { $0 == answer.reasonWord } ?? true
    }

    /// The words, such as `lapsed (refunded)`.
    public var description: String { reason.map { "\(word) (\($0))" } ?? word }
}
