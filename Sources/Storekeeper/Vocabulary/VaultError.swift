/// An error of a vault that could not read or write.
///
/// Nothing of the failed call was written, unless the code is ``Code/inDoubt``.
public struct VaultError: Error, Sendable, CustomStringConvertible {
    /// The kind of the error, for programs to switch on.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The code's text, which stays the same from release to release.
        public let rawValue: String
        /// Makes a code from its text.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The path or address has no vault.
        public static let notFound = Code(rawValue: "notFound")
        /// The path or address is already in use.
        public static let exists = Code(rawValue: "exists")
        /// The file is not a vault.
        public static let notAVault = Code(rawValue: "notAVault")
        /// A newer release wrote the vault.
        public static let schemaTooNew = Code(rawValue: "schemaTooNew")
        /// An older release wrote the vault, and it cannot be migrated, because it was opened for reading only.
        public static let schemaTooOld = Code(rawValue: "schemaTooOld")
        /// Another process held the lock of the vault for longer than the timeout.
        public static let locked = Code(rawValue: "locked")
        /// The disk or the database is full.
        public static let full = Code(rawValue: "full")
        /// The vault or its folder is read-only.
        public static let readOnly = Code(rawValue: "readOnly")
        /// The system could not read or write the file.
        public static let io = Code(rawValue: "io")
        /// It is unknown whether the call was written.
        ///
        /// The connection to a database was lost during the commit, and the database could not be queried afterwards.
        /// Repeating the call is safe, and so is ``Vault/wasWritten(_:)``.
        public static let inDoubt = Code(rawValue: "inDoubt")
        /// The stored data differs from what was written.
        public static let corrupt = Code(rawValue: "corrupt")
        /// A sum does not fit into 64 bits.
        public static let overflow = Code(rawValue: "overflow")
        /// The vault was closed.
        public static let closed = Code(rawValue: "closed")
        /// The vault has no data of the customer to be erased.
        public static let unknownCustomer = Code(rawValue: "unknownCustomer")
        /// Neither the catalog nor the customer's account has a balance with that name.
        public static let unknownBalance = Code(rawValue: "unknownBalance")
        /// The call is invalid: a quantity below 1, an empty key.
        public static let invalidRequest = Code(rawValue: "invalidRequest")
    }

    /// The kind of the error.
    public var code: Code
    /// The failure and its remedy; names no customer and quotes no signature.
    public var message: String
    /// The error of the layer below.
    package var cause: (any Error)?

    /// Makes an error.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// Makes the error for a balance that neither a catalog nor an account has.
    package static func unknownBalance(_ name: String, among known: [String]) -> VaultError {
        VaultError(
            .unknownBalance,
            "there is no balance '\(name)' in the catalog or the account; \(NearestWord.advice(for: name, among: known))"
        )
    }

    /// The code and the message, in one line.
    public var description: String { "\(code.rawValue): \(message)" }
}
