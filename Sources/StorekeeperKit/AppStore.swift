public import FoundationEssentials
public import Storekeeper

/// A namespace for the App Store as a whole.
///
/// - SeeAlso: Apple, "StoreKit: AppStore".
public enum AppStore: Sendable {
    /// Reads all evidence that the App Store has signed for the customer, and makes outstanding deliveries.
    ///
    /// - Throws: ``StoreKitError`` if no store is bound, or if the evidence cannot be read; `CancellationError` if the
    ///   task is cancelled.
    public static func sync() async throws {
        let binding = try StoreKit.required()
        do {
            try await binding.store.sync()
        } catch let error as CancellationError {
            throw error
        } catch {
            throw StoreKitError(error)
        }
    }

    /// Whether the bound store supports purchases.
    public static var canMakePayments: Bool { StoreKit.binding?.purchasing != nil }

    /// The id of the device; always `nil`, because a server is not a device of a customer.
    public static var deviceVerificationID: UUID? { nil }

    /// The environment in which a transaction was made.
    public struct Environment: RawRepresentable, Hashable, Sendable {
        /// The App Store's name for the environment, such as `Production`.
        public let rawValue: String
        /// Creates a value from any name, including a name without a constant.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The App Store's production environment, with real payments.
        public static let production = Environment(rawValue: "Production")
        /// Apple's sandbox.
        public static let sandbox = Environment(rawValue: "Sandbox")
        /// StoreKit Testing in Xcode.
        public static let xcode = Environment(rawValue: "Xcode")
    }

    /// An operating system of Apple.
    public struct Platform: RawRepresentable, Hashable, Sendable {
        /// The name of the platform in signed data, such as `iOS`.
        public let rawValue: String
        /// Creates a value from any name, including a name without a constant.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// iOS and iPadOS.
        public static let iOS = Platform(rawValue: "iOS")
        /// macOS.
        public static let macOS = Platform(rawValue: "macOS")
        /// tvOS.
        public static let tvOS = Platform(rawValue: "tvOS")
        /// visionOS.
        public static let visionOS = Platform(rawValue: "visionOS")
    }
}

/// The customer's download of the app, as signed by the App Store.
///
/// - SeeAlso: Apple, "StoreKit: AppTransaction".
public struct AppTransaction: StoreSigned, Hashable, CustomDebugStringConvertible {
    private let record: Storekeeper.AppTransaction

    /// The signed record on which this value is based, including its JWS.
    public var signedFact: (any SignedFact)? { record }

    /// The signed app transaction of the customer.
    ///
    /// - Throws: ``StoreKitError/unsupported`` if the store was bound without an app transaction; another
    ///   ``StoreKitError`` if the app transaction cannot be read.
    public static var shared: VerificationResult<AppTransaction> {
        get async throws {
            let binding = try StoreKit.required()
            guard let read = binding.appTransaction else { throw StoreKitError.unsupported }
            let text: String
            do {
                text = try await read()
            } catch {
                throw StoreKitError(error)
            }
            guard case .appTransaction(let result) = binding.store.verifier.verify(text) else {
                throw StoreKitError.unknown
            }
            return VerificationResult(result) { AppTransaction(record: $0) }
        }
    }

    /// Returns ``shared``, because each access to ``shared`` already reads the app transaction again.
    ///
    /// - Throws: The errors of ``shared``.
    public static func refresh() async throws -> VerificationResult<AppTransaction> { try await shared }

    /// The id of the customer's app transaction; empty if an older record does not contain it.
    public var appTransactionID: String { record.appTransactionID ?? "" }
    /// The environment.
    public var environment: AppStore.Environment { AppStore.Environment(rawValue: record.environment.rawValue) }
    /// The bundle id of the app.
    public var bundleID: String { record.bundleID }
    /// The App Store's number for the app; `nil` outside of production.
    public var appID: UInt64? { record.appID.flatMap { UInt64(exactly: $0) } }
    /// The version of the app in use.
    public var appVersion: String { record.appVersion ?? "" }
    /// The App Store's number for the version in use.
    public var appVersionID: UInt64? { record.appVersionID.flatMap { UInt64(exactly: $0) } }
    /// The version of the app at the first download.
    public var originalAppVersion: String { record.originalAppVersion ?? "" }
    /// The platform of the first download.
    public var originalPlatform: AppStore.Platform { AppStore.Platform(rawValue: originalPlatformStringRepresentation) }
    /// The platform of the first download, as text.
    public var originalPlatformStringRepresentation: String { record.originalPlatform ?? "" }
    /// The time of the first download.
    public var originalPurchaseDate: Date { record.originalPurchaseDate ?? .distantPast }
    /// The time at which the customer ordered the app before its release; `nil` without a preorder.
    public var preorderDate: Date? { record.preorderDate }
    /// The time of signing.
    public var signedDate: Date { record.signedDate }
    /// The payload, as it was signed.
    public var jsonRepresentation: Data { Data(record.jsonRepresentation) }
    /// The digest that ties the app transaction to a device.
    public var deviceVerification: Data { record.deviceDigest }
    /// The salt of ``deviceVerification``.
    public var deviceVerificationNonce: UUID { record.deviceNonce }

    /// Returns whether two app transactions have the same content.
    public static func == (left: AppTransaction, right: AppTransaction) -> Bool {
        left.jsonRepresentation == right.jsonRepresentation
    }

    /// Hashes the content.
    public func hash(into hasher: inout Hasher) { hasher.combine(jsonRepresentation) }

    /// The payload as text.
    public var debugDescription: String { String(decoding: record.jsonRepresentation, as: UTF8.self) }
}

/// The App Store of a country or region.
///
/// - SeeAlso: Apple, "StoreKit: Storefront".
public struct Storefront: Identifiable, Hashable, Sendable {
    /// The App Store's number for the storefront; empty if an older record does not contain it.
    public let id: String
    /// The country or region, by ISO 3166-1 alpha-3; empty if an older record does not contain it.
    public let countryCode: String
    /// The currency.
    public let currency: Locale.Currency?

    init(_ transaction: Storekeeper.Transaction) {
        id = transaction.storefrontID ?? ""
        countryCode = transaction.storefrontCountryCode ?? ""
        let code = StorefrontCurrency.code(forCountry: countryCode) ?? transaction.currencyCode
        currency = code.map { Locale.Currency($0) }
    }

    /// A sequence of storefronts.
    public typealias Storefronts = StoreSequence<Storefront>

    /// The storefront of the customer's newest transaction that names a storefront; `nil` if no transaction names one.
    public static var current: Storefront? {
        get async {
            guard let binding = StoreKit.binding else { return nil }
            let all = await StoreBinding.reading { try await binding.store.allTransactions }
            return all?.first { $0.storefrontCountryCode != nil }.map(Storefront.init)
        }
    }

    /// An endless sequence that returns a storefront whenever a new transaction of the customer names another
    /// storefront.
    public static var updates: Storefronts {
        .updates(
            of: StoreKit.binding,
            initial: { binding, cursor in
                let all = await StoreBinding.reading { try await binding.store.allTransactions } ?? []
                let before = all.first { $0.storefrontCountryCode != nil && Instant($0.signedDate) < binding.began }
                cursor.sent["storefront"] = before?.storefrontCountryCode
                return []
            },
            elements: { update, _, cursor in
                guard let transaction = update.transaction, let country = transaction.storefrontCountryCode,
                    let last = cursor.sent.updateValue(country, forKey: "storefront"), last != country
                else { return [] }
                return [Storefront(transaction)]
            })
    }
}
