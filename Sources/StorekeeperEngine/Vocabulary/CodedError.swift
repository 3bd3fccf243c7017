/// An error with a code for programs and a message for people.
///
/// The type of the codes makes it a type of its own: ``VerificationError``, for example, is an error with a
/// ``VerificationErrorCode``. Programs switch on the code; the message may change with a release.
public struct CodedError<Codes: RawRepresentable & Hashable & Sendable>: Error, Hashable, Sendable,
    CustomStringConvertible
where Codes.RawValue == String {
    /// The type of the codes.
    public typealias Code = Codes

    /// The code of the error.
    public var code: Code
    /// A description of the error, without parts of signatures, keys or accounts.
    public var message: String
    /// The underlying error, if any, for logs; its type may change with a release.
    public var cause: (any Error)?

    /// Creates an error.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// Returns whether two errors have the same code; the messages may differ.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

    /// Hashes the code.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }

    /// The code and the message, in one line.
    public var description: String { "\(code.rawValue): \(message)" }
}
