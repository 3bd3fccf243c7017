/// Information for a person about the input of an answer; the answer is valid nevertheless.
public struct Diagnostic: Hashable, Sendable {
    /// The importance of a diagnostic.
    public enum Severity: String, Sendable { case error, warning, note }

    /// The kind of a diagnostic, for programs to switch on; the words are part of the command line's contract.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The word, which does not change between releases.
        public let rawValue: String
        /// Makes a code from its word.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// The importance.
    public var severity: Severity
    /// The kind.
    public var code: Code
    /// The subject: a product, a transaction, a code of verification.
    ///
    /// Never a position, so that the same evidence in another order gives the same diagnostics.
    public var subject: String?
    /// The problem and its remedy, for people.
    public var message: String
    /// The place in a catalog file, such as `Products[3]` or `Store.storekit: products[0].displayPrice`.
    public var location: String?

    /// Makes a diagnostic.
    package init(
        _ severity: Severity, _ code: Code, subject: String? = nil, message: String, location: String? = nil
    ) {
        self.severity = severity
        self.code = code
        self.subject = subject
        self.message = message
        self.location = location
    }
}

extension Diagnostic.Code {
    // About evidence.

    /// Evidence that failed verification and does not count.
    public static let unverifiedEvidence = Self(rawValue: "unverifiedEvidence")
    /// Evidence of an environment that is not accepted.
    public static let environmentRefused = Self(rawValue: "environmentRefused")
    /// No bundle id was given, so none was compared.
    public static let bundleNotChecked = Self(rawValue: "bundleNotChecked")
    /// The evidence carries account tokens, or app transaction ids, of several customers.
    public static let severalCustomers = Self(rawValue: "severalCustomers")
    /// A product that no catalog describes.
    public static let unknownProduct = Self(rawValue: "unknownProduct")
    /// A renewal info without a verified transaction of its chain.
    public static let unpairedRenewalInfo = Self(rawValue: "unpairedRenewalInfo")
    /// A field holds a value that this version does not know.
    public static let unknownValue = Self(rawValue: "unknownValue")
    /// The evidence is from before a renewal that may have happened since.
    public static let staleEvidence = Self(rawValue: "staleEvidence")
    /// Evidence whose signing time is in the future.
    public static let futureSignedDate = Self(rawValue: "futureSignedDate")
    /// A file of evidence without an item.
    public static let emptyEvidence = Self(rawValue: "emptyEvidence")

    /// A consumable without `grants` in any catalog: each purchase adds 1 to a balance of its own name.
    public static let noGrants = Self(rawValue: "noGrants")
    /// A purchase that was credited to a since erased customer, and is not credited again.
    public static let creditedBefore = Self(rawValue: "creditedBefore")

    // About catalogs.

    /// A product that occurs twice in one file.
    public static let duplicateProduct = Self(rawValue: "duplicateProduct")
    /// A subscription group that occurs twice in one file.
    public static let duplicateGroup = Self(rawValue: "duplicateGroup")
    /// Two places give a product different service levels.
    public static let conflictingLevel = Self(rawValue: "conflictingLevel")
    /// Two places give a product different types: two in catalogs, or the evidence and the catalog.
    public static let conflictingType = Self(rawValue: "conflictingType")
    /// A subscription group that was inferred from the product's name, or goes by another word as it has no id.
    public static let inferredGroup = Self(rawValue: "inferredGroup")
    /// A feature that was made from a bundle of products.
    public static let inferredFeature = Self(rawValue: "inferredFeature")
    /// White space around an id was removed.
    public static let trimmedID = Self(rawValue: "trimmedID")
    /// A product type that this version does not know.
    public static let unknownType = Self(rawValue: "unknownType")
    /// A price that is not a decimal number.
    public static let badPrice = Self(rawValue: "badPrice")
    /// A period that is not an ISO 8601 duration of one unit.
    public static let badPeriod = Self(rawValue: "badPeriod")
    /// A key that this version does not know.
    public static let unknownKey = Self(rawValue: "unknownKey")
    /// An entry that is not a product and was skipped.
    public static let skippedEntry = Self(rawValue: "skippedEntry")
    /// A value that the format of a written file cannot express.
    public static let notWritten = Self(rawValue: "notWritten")
}

extension Diagnostic {
    /// Returns diagnostics in a fixed order without duplicates: by code, then subject, then the rest.
    package static func sorted(_ diagnostics: some Sequence<Diagnostic>) -> [Diagnostic] {
        Set(diagnostics).sorted { left, right in
            for (left, right) in zip(left.texts, right.texts) where left != right {
                return (left ?? "") < (right ?? "")
            }
            return left.severity.rawValue < right.severity.rawValue
        }
    }

    /// Its texts, compared by their bytes: the subject may be an id.
    private var texts: [ByteIdentifier<Diagnostic>?] {
        [code.rawValue, subject, location, message].map { text in text.map { ByteIdentifier($0) } }
    }

    /// Returns whether two diagnostics are equal in all texts.
    public static func == (left: Diagnostic, right: Diagnostic) -> Bool {
        left.severity == right.severity && left.texts == right.texts
    }

    /// Hashes what equality compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(texts) }
}
