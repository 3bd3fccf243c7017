/// Why a vault could not read or write.
///
/// After an error nothing of the failed call was written, except where the code is ``Code/inDoubt``.
public struct VaultError: Error, Sendable, CustomStringConvertible {
    /// What went wrong, for programs to switch on.
    public struct Code: ErrorCode {
        /// The word.
        public let rawValue: String
        /// Makes a code of its word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// There is no vault at that place.
        public static let notFound = Code(rawValue: "notFound")
        /// There is something at that place already.
        public static let exists = Code(rawValue: "exists")
        /// The file is no vault.
        public static let notAVault = Code(rawValue: "notAVault")
        /// A newer release wrote the vault.
        public static let schemaTooNew = Code(rawValue: "schemaTooNew")
        /// An older release wrote the vault, and it was opened for reading only, so that it cannot be brought up to date.
        public static let schemaTooOld = Code(rawValue: "schemaTooOld")
        /// Somebody else kept the vault locked for longer than we wait.
        public static let locked = Code(rawValue: "locked")
        /// There is no room left for what should be written.
        public static let full = Code(rawValue: "full")
        /// The vault, or its folder, may only be read.
        public static let readOnly = Code(rawValue: "readOnly")
        /// The system could not read or write the file.
        public static let io = Code(rawValue: "io")
        /// Whether the call was written cannot be told.
        ///
        /// The connection to a database was lost meanwhile, and the database could not be asked. To ask for the same again
        /// is safe, and so is ``Vault/wasWritten(_:)``.
        public static let inDoubt = Code(rawValue: "inDoubt")
        /// Makes the error for stored data that differs from what was written.
        public static let corrupt = Code(rawValue: "corrupt")
        /// A sum would be greater than any 64-bit number.
        public static let overflow = Code(rawValue: "overflow")
        /// The vault was closed.
        public static let closed = Code(rawValue: "closed")
        /// The vault has nothing of the customer who is to be erased.
        public static let unknownCustomer = Code(rawValue: "unknownCustomer")
        /// Neither the catalog nor the customer's account has a balance of that name.
        public static let unknownBalance = Code(rawValue: "unknownBalance")
        /// The call asks for something that cannot be: a quantity below 1, an empty key.
        public static let invalidRequest = Code(rawValue: "invalidRequest")
    }

    /// What went wrong.
    public var code: Code
    /// What went wrong and what to do, in words; names no customer and quotes no signature.
    public var message: String
    /// What the layer below said.
    package var cause: (any Error)?

    /// Makes an error.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// Neither a catalog nor an account has a balance.
    package static func unknownBalance(_ name: String, among known: [String]) -> VaultError {
        VaultError(
            .unknownBalance,
            "there is no balance '\(name)' in the catalog or the account; \(NearestWord.advice(for: name, among: known))"
        )
    }

    /// The code and the message, in one line.
    public var description: String { "\(code.rawValue): \(message)" }
}
