/// An error of a vault.
///
/// A call that throws has written nothing, unless the code is ``VaultErrorCode/inDoubt``.
public typealias VaultError = CodedError<VaultErrorCode>

/// A machine-readable code of the error.
public struct VaultErrorCode: ErrorCode {
    /// The code as text.
    public let rawValue: String
    /// Creates a code from its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The vault does not exist.
    ///
    /// Remedy: Create it with `storekeeper vault init`, or check the path.
    public static let notFound = Self(rawValue: "notFound")
    /// The file or database already contains data.
    ///
    /// Remedy: Choose another path, or use `--if-missing`.
    public static let exists = Self(rawValue: "exists")
    /// The file is not a vault, or another program has added triggers or views to it.
    ///
    /// Remedy: Check the path; restore the vault from a backup if it was one.
    public static let notAVault = Self(rawValue: "notAVault")
    /// A newer release wrote the vault, in a format that this release cannot open.
    ///
    /// Remedy: Use the release that wrote it, or a newer one.
    public static let schemaTooNew = Self(rawValue: "schemaTooNew")
    /// An older release wrote the vault, in a format that this release cannot open.
    ///
    /// Remedy: Do what the message says: migrate the database, or export the vault with the older release and import it
    /// into a new one.
    public static let schemaTooOld = Self(rawValue: "schemaTooOld")
    /// Another process kept the vault locked for longer than the timeout.
    ///
    /// Remedy: Try again, or end the process that has it locked.
    public static let locked = Self(rawValue: "locked")
    /// The storage is full.
    ///
    /// Remedy: Make room, and repeat the call.
    public static let full = Self(rawValue: "full")
    /// The vault or its folder is read-only.
    ///
    /// Remedy: Permit writing to the file and its folder, or name the primary server.
    public static let readOnly = Self(rawValue: "readOnly")
    /// The system could not read or write the file.
    ///
    /// Remedy: Check the disk, and the message in the log.
    public static let io = Self(rawValue: "io")
    /// It is not known whether the call has written its data.
    ///
    /// The connection to the database was lost during the call, and the database could not be queried afterwards.
    /// It is safe to repeat the call.
    ///
    /// Remedy: Repeat the call with the same key; it counts once.
    public static let inDoubt = Self(rawValue: "inDoubt")
    /// Stored data differs from the data that was written.
    ///
    /// Remedy: Stop writing, run `storekeeper vault verify`, and restore a backup.
    public static let corrupt = Self(rawValue: "corrupt")
    /// The places of the feed are assigned again, because another database server has replaced the server, and may lack
    /// its last commits.
    ///
    /// A subscriber cannot know what it has missed. It must read the current answers again.
    ///
    /// Remedy: Read the current answers again, and subscribe after the newest event.
    public static let feedReplaced = Self(rawValue: "feedReplaced")
    /// An amount would exceed the limit of a balance, or would not fit in 64 bits.
    ///
    /// Remedy: Check the quantities; a balance holds at most 2^63 - 1 units.
    public static let overflow = Self(rawValue: "overflow")
    /// The vault was closed.
    ///
    /// Remedy: Open the vault again.
    public static let closed = Self(rawValue: "closed")
    /// The customer to be erased is unknown to the vault.
    ///
    /// Remedy: Check the spelling of the id.
    public static let unknownCustomer = Self(rawValue: "unknownCustomer")
    /// Neither the catalog nor the customer's account has a balance with the requested name.
    ///
    /// Remedy: Check the spelling, or add the balance to a catalog with `grants`.
    public static let unknownBalance = Self(rawValue: "unknownBalance")
    /// A grant of access names a consumable, which is credited to a balance and cannot be owned.
    ///
    /// Remedy: A consumable is counted and not owned; grant units of its balance.
    public static let consumable = Self(rawValue: "consumable")
    /// Neither the catalog nor the evidence contains the product.
    ///
    /// Remedy: Check the spelling, or name the catalog that contains the product.
    public static let unknownProduct = Self(rawValue: "unknownProduct")
    /// The catalog does not contain the feature.
    ///
    /// Remedy: Check the spelling, or name the catalog that contains the feature.
    public static let unknownFeature = Self(rawValue: "unknownFeature")
    /// The request is invalid, for example because of a quantity below 1 or an empty key.
    ///
    /// Remedy: Correct the request as the message says.
    public static let invalidRequest = Self(rawValue: "invalidRequest")
}

extension VaultError {
    /// Returns the error for a balance that is neither in the catalog nor in the account.
    package static func unknownBalance(_ name: String, among known: [String]) -> VaultError {
        VaultError(
            .unknownBalance,
            "there is no balance '\(name)' in the catalog or the account; \(NearestWord.advice(for: name, among: known))"
        )
    }
}
