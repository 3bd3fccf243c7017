/// A remark about the data from which an answer was computed; the answer is valid nevertheless.
public struct Diagnostic: Hashable, Sendable {
    /// The severity of a diagnostic.
    public enum Severity: String, Sendable { case error, warning, note }

    /// A machine-readable code of a diagnostic; the codes are part of the command line's contract.
    public struct Code: ErrorCode {
        /// The code as text.
        public let rawValue: String
        /// Creates a code from its text.
        public init(rawValue: String) { self.rawValue = rawValue }
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

    /// Creates a diagnostic.
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
    // Codes about evidence.

    /// Evidence failed verification and is ignored.
    public static let unverifiedEvidence = Self(rawValue: "unverifiedEvidence")
    /// Evidence from an environment that the request does not accept.
    public static let environmentRefused = Self(rawValue: "environmentRefused")
    /// The bundle ids of the evidence were not checked, because the caller did not pass a bundle id to compare them
    /// with.
    public static let bundleNotChecked = Self(rawValue: "bundleNotChecked")
    /// The evidence contains account tokens or app transaction ids of several customers.
    public static let severalCustomers = Self(rawValue: "severalCustomers")
    /// A product that no catalog describes.
    public static let unknownProduct = Self(rawValue: "unknownProduct")
    /// A renewal info without a verified transaction of its chain.
    public static let unpairedRenewalInfo = Self(rawValue: "unpairedRenewalInfo")
    /// A field contains a value that this version of the package does not know.
    public static let unknownValue = Self(rawValue: "unknownValue")
    /// The subscription may have renewed since the evidence was signed.
    public static let staleEvidence = Self(rawValue: "staleEvidence")
    /// The only evidence of a purchase is a receipt of the original StoreKit.
    public static let receiptEvidence = Self(rawValue: "receiptEvidence")
    /// Evidence with a signing date in the future.
    public static let futureSignedDate = Self(rawValue: "futureSignedDate")
    /// The app itself was refunded or taken back, so its app transaction proves no right any more.
    public static let appRevoked = Self(rawValue: "appRevoked")
    /// A file of evidence does not contain an item.
    public static let emptyEvidence = Self(rawValue: "emptyEvidence")

    /// The App Store's own status of a subscription differs from the state that follows from the evidence.
    public static let statusDiffers = Self(rawValue: "statusDiffers")
    /// A transaction was upgraded, and the transaction of the new product is not known.
    public static let successorMissing = Self(rawValue: "successorMissing")
    /// A customer moved at once to a product that the catalog ranks lower.
    public static let levelsDiffer = Self(rawValue: "levelsDiffer")
    /// A transaction of an auto-renewable subscription has no expiry.
    public static let noExpiry = Self(rawValue: "noExpiry")

    /// A consumable has no `grants` in any catalog, so that each unit adds 1 to a balance named after the product's id.
    public static let noGrants = Self(rawValue: "noGrants")
    /// A purchase is not credited again, because it was credited to a customer who has been erased since.
    public static let creditedBefore = Self(rawValue: "creditedBefore")

    // Codes about catalogs.

    /// A file contains a product twice.
    public static let duplicateProduct = Self(rawValue: "duplicateProduct")
    /// A file contains a subscription group twice.
    public static let duplicateGroup = Self(rawValue: "duplicateGroup")
    /// The catalogs contain different service levels for one product.
    public static let conflictingLevel = Self(rawValue: "conflictingLevel")
    /// The catalogs contain different types for one product, or the evidence and a catalog contradict each other about
    /// the type.
    public static let conflictingType = Self(rawValue: "conflictingType")
    /// A subscription group was inferred from product ids, or a group without an id is identified by another value,
    /// such as its name.
    public static let inferredGroup = Self(rawValue: "inferredGroup")
    /// A feature was created from a bundle of products.
    public static let inferredFeature = Self(rawValue: "inferredFeature")
    /// White space around an id was removed.
    public static let trimmedID = Self(rawValue: "trimmedID")
    /// A product type that this version of the package does not know.
    public static let unknownType = Self(rawValue: "unknownType")
    /// A price that is not a decimal number.
    public static let badPrice = Self(rawValue: "badPrice")
    /// A period that is not an ISO 8601 duration of one unit, or an access duration that is not an ISO 8601 duration.
    public static let badPeriod = Self(rawValue: "badPeriod")
    /// A catalog file contains a key that this version of the package does not know.
    public static let unknownKey = Self(rawValue: "unknownKey")
    /// An entry of a catalog file was skipped, because the entry is not valid.
    public static let skippedEntry = Self(rawValue: "skippedEntry")
    /// Data was left out of a written file, because the format of the file cannot store the data.
    public static let notWritten = Self(rawValue: "notWritten")
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
