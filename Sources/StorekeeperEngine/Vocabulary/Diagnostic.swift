/// Something a person should know about the input of an answer; the answer stands nevertheless.
public struct Diagnostic: Hashable, Sendable {
    /// How much it matters.
    public enum Severity: String, Sendable { case error, warning, note }

    /// What it is about, for programs to switch on; the words are part of the command line's contract.
    public struct Code: ErrorCode {
        /// The word.
        public let rawValue: String
        /// Makes a code of its word.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// How much it matters.
    public var severity: Severity
    /// What it is about.
    public var code: Code
    /// The thing at fault: a product, a transaction, a code of verification.
    ///
    /// Never a position, so that the same evidence in another order gives the same diagnostics.
    public var subject: String?
    /// What is the matter and what to do, for people.
    public var message: String
    /// Where in a catalog file, such as `Products[3]` or `Store.storekit: products[0].displayPrice`.
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

    /// Evidence failed verification and counts for nothing.
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
    /// Evidence that says it was signed in the future.
    public static let futureSignedDate = Self(rawValue: "futureSignedDate")
    /// A file of evidence without an item.
    public static let emptyEvidence = Self(rawValue: "emptyEvidence")

    /// A consumable to which no catalog gives `grants`: each purchase adds 1 to a balance of its own name.
    public static let noGrants = Self(rawValue: "noGrants")
    /// A purchase that was credited to a customer who was erased since, and is not credited again.
    public static let creditedBefore = Self(rawValue: "creditedBefore")

    // About catalogs.

    /// A product stands twice in one file.
    public static let duplicateProduct = Self(rawValue: "duplicateProduct")
    /// A subscription group stands twice in one file.
    public static let duplicateGroup = Self(rawValue: "duplicateGroup")
    /// Two places give a product different service levels.
    public static let conflictingLevel = Self(rawValue: "conflictingLevel")
    /// Two places give a product different types: two in catalogs, or the evidence and the catalog.
    public static let conflictingType = Self(rawValue: "conflictingType")
    /// A subscription group was read off the product's name, or goes by another word as it has no id.
    public static let inferredGroup = Self(rawValue: "inferredGroup")
    /// A feature was made of a bundle of products.
    public static let inferredFeature = Self(rawValue: "inferredFeature")
    /// White space around an id was removed.
    public static let trimmedID = Self(rawValue: "trimmedID")
    /// A product type that this version does not know.
    public static let unknownType = Self(rawValue: "unknownType")
    /// A price that is no decimal number.
    public static let badPrice = Self(rawValue: "badPrice")
    /// A period that is no ISO 8601 duration of one unit.
    public static let badPeriod = Self(rawValue: "badPeriod")
    /// A key that this version does not know.
    public static let unknownKey = Self(rawValue: "unknownKey")
    /// An entry that is no product and was passed over.
    public static let skippedEntry = Self(rawValue: "skippedEntry")
    /// Something that the format of a written file has no word for.
    public static let notWritten = Self(rawValue: "notWritten")
}

extension Diagnostic {
    /// Diagnostics in their lasting order, each once: by code, then subject, then the rest.
    package static func sorted(_ diagnostics: some Sequence<Diagnostic>) -> [Diagnostic] {
        Set(diagnostics).sorted { left, right in
            for (left, right) in zip(left.texts, right.texts) where left != right {
                return (left ?? "") < (right ?? "")
            }
            return left.severity.rawValue < right.severity.rawValue
        }
    }

    /// What it says, compared by its bytes: the subject may be an id.
    private var texts: [ByteIdentifier<Diagnostic>?] {
        [code.rawValue, subject, location, message].map { text in text.map { ByteIdentifier($0) } }
    }

    /// Whether two diagnostics say the same of the same thing.
    public static func == (left: Diagnostic, right: Diagnostic) -> Bool {
        left.severity == right.severity && left.texts == right.texts
    }

    /// Hashes what it says.
    public func hash(into hasher: inout Hasher) { hasher.combine(texts) }
}
