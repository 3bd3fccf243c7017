import Storekeeper
import StorekeeperJWS

/// The settings from the options, the environment and the configuration file.
///
/// Every value of ``Configuration`` is also a value of the settings, which the option replaces. The files of
/// ``Configuration/catalogs`` were checked to be readable.
@dynamicMemberLookup
struct Settings {
    /// The source of facts, which determines which options are required.
    enum Source {
        /// Evidence, whose signatures are checked.
        case evidence
        /// A receipt of the original StoreKit, whose root certificate differs from that of newer evidence.
        case receipt
        /// Evidence whose items are verified and reported one by one.
        ///
        /// An item without a signature fails.
        case items
        /// Evidence that will be stored in a vault, and must be signed.
        case intake
        /// A vault, which contains only verified evidence.
        case vault
        /// A check of the set-up, which examines roots and catalogs itself.
        case checkup
    }

    var roots: [TrustedRoot]
    /// The instant that the answers are about.
    ///
    /// `nil` means now: the time of the machine's clock, or of the newest signature in the customer's evidence if that
    /// signature is slightly later.
    var at: Instant?
    /// The instant as of which the vault is read: facts that the vault learned later do not count; `nil` means no
    /// limit.
    var asKnownAt: Instant?
    /// Whether decoded payloads without a signature count.
    var acceptsUnsigned: Bool
    private var configuration: Configuration
    private let environment: [String: String]

    subscript<Value>(dynamicMember path: KeyPath<Configuration, Value>) -> Value { configuration[keyPath: path] }

    subscript<Value>(dynamicMember path: WritableKeyPath<Configuration, Value>) -> Value {
        get { configuration[keyPath: path] }
        set { configuration[keyPath: path] = newValue }
    }

    /// Combines the settings.
    ///
    /// Options override the environment, and the environment overrides the configuration file.
    ///
    /// - Parameter report: Receives each note about a root that the user has not named; `nil` to write the notes.
    /// - Throws: ``CommandError`` with status 64 for wrong options, 66 for an unreadable file, 65 for an invalid file.
    init(
        _ options: EvidenceOptions, source: Source = .evidence, refunds: RefundPolicy? = nil,
        report: ((String) -> Void)? = nil, on console: Console
    ) throws(CommandError) {
        let flags = try EvidenceFlags(options, source: source)
        var configuration = try Configuration.find(options.trust.config, on: console)
        if let id = options.trust.bundleID { configuration.bundleID = id }
        if let id = flags.appAppleID { configuration.appAppleID = id }
        if let environments = flags.environments { configuration.environments = environments }
        if !options.list.catalog.isEmpty { configuration.catalogs = options.list.catalog }
        if let leeway = flags.renewalLeeway { configuration.policy.renewalLeeway = .milliseconds(leeway) }
        if options.question.noGrace { configuration.policy.gracePeriodEntitles = false }
        if options.question.billingRetryEntitles { configuration.policy.billingRetryEntitles = true }
        if let refunds { configuration.policy.refundPolicy = refunds }
        self.configuration = configuration
        environment = console.environment
        at = flags.at
        asKnownAt = flags.asKnownAt
        for (instant, place) in [(at, "--at"), (asKnownAt, "--as-known-at")] {
            if let warning = instant?.warningOfSeconds(at: place) { console.warn(warning) }
        }
        acceptsUnsigned = options.question.unsigned

        if source != .checkup { for path in configuration.catalogs { try InputFile.check(path) } }
        // A vault contains only evidence that was verified on import, so no roots are needed to read it.
        roots =
            source == .vault || source == .checkup
            ? []
            : try Self.roots(
                options.trust.root, configuration, isNeeded: !acceptsUnsigned, source: source,
                environments: configuration.environments, report: report, on: console)
    }

    /// Returns the vault that an option names, or else the vault of the environment or the configuration file.
    ///
    /// - Throws: The errors of ``VaultSettings/place(_:_:in:patience:)``.
    func vault(_ option: String?, patience: Duration = .seconds(10)) throws(CommandError) -> VaultLocation {
        try VaultSettings.place(option, configuration, in: environment, patience: patience)
    }

    /// Returns the trusted root certificates from the options, the environment or the configuration.
    ///
    /// - Parameters:
    ///   - isNeeded: Whether a root is required.
    ///   - source: The source of the evidence to verify.
    ///   - environments: The accepted environments; empty if no evidence is verified.
    ///   - report: Receives each note about a root that the user has not named; `nil` to write the notes.
    /// - Throws: ``CommandError`` with status 64 if a required root is missing, or if the roots contain Xcode's
    ///   certificate and production is accepted.
    static func roots(
        _ options: [String], _ configuration: Configuration, isNeeded: Bool = true, source: Source = .vault,
        environments: Set<AppStore.Environment> = [], report: ((String) -> Void)? = nil, on console: Console
    ) throws(CommandError) -> [TrustedRoot] {
        let report = report ?? console.note
        var paths = options
        if paths.isEmpty { paths = configuration.roots }
        guard !paths.isEmpty || !isNeeded else {
            let advice = "name one with --root FILE, STOREKEEPER_ROOT or storekeeper.yaml"
            throw .usage(
                "no trusted root certificate is given", at: "--root",
                advice + (source == .evidence || source == .receipt ? ", or pass --unsigned" : "")
                    + "; the App Store's is \(source == .receipt ? "Apple Inc. Root Certificate" : "Apple Root CA - G3")"
                    + ", from https://www.apple.com/certificateauthority/")
        }
        var roots: [TrustedRoot] = []
        for path in paths {
            let root = try root(path)
            guard !root.isXcodeCertificate || !environments.contains(.production) else {
                throw .usage(
                    "Xcode's certificate is named together with the environment Production", at: path,
                    "use --environment Xcode alone, or leave the certificate out")
            }
            roots.append(root)
            // Whoever wrote the file in a foreign folder decides which evidence is genuine there.
            if options.isEmpty, configuration.hasFoundRoots,
                TrustCheckup.appleRoot(withFingerprint: root.sha256Fingerprint) == nil
            {
                report(
                    "the trusted root \(path) is named by \(Configuration.defaultName) in this folder, and is not "
                        + "Apple's; its SHA-256 fingerprint is \(root.sha256Fingerprint)")
            }
        }
        return roots
    }

    private static func root(_ path: String) throws(CommandError) -> TrustedRoot {
        let bytes = try InputFile.contents(of: path, limit: 1 << 20)
        do {
            return try TrustedRoot(derOrPEM: bytes)
        } catch {
            let pasted = PastedContent(bytes)
            let what = [.certificate, .unknown].contains(pasted.kind) ? "" : " but \(pasted.what)"
            throw CommandError(
                .malformedInput, "the trusted root is not a certificate\(what)", at: path, error.advice)
        }
    }

    /// The configuration of the verifier.
    var verifierConfiguration: JWSVerifier.Configuration {
        var verification = JWSVerifier.Configuration(roots: roots, bundleID: configuration.bundleID)
        verification.appAppleID = configuration.appAppleID
        verification.environments = configuration.environments
        return verification
    }
}

/// The parsed values of the options that are not plain text.
private struct EvidenceFlags {
    var appAppleID: Int64?
    var environments: Set<AppStore.Environment>?
    var at: Instant?
    var asKnownAt: Instant?
    var renewalLeeway: Int64?

    init(_ options: EvidenceOptions, source: Settings.Source) throws(CommandError) {
        if let text = options.trust.appAppleID {
            guard let number = Int64(text), number >= 0 else {
                throw .usage(
                    "'\(text)' is not an app id", at: "--app-apple-id", "give the number App Store Connect shows")
            }
            appAppleID = number
        }
        if !options.trust.environment.isEmpty {
            var environments: Set<AppStore.Environment> = []
            for word in options.trust.environment {
                guard let environment = AppStore.Environment(word: word) else {
                    throw .usage(
                        "'\(word)' is not an environment", at: "--environment", AppStore.Environment.wordAdvice)
                }
                environments.insert(environment)
            }
            self.environments = environments
        }
        at = try Instant(option: options.question.at, at: "--at")
        asKnownAt = try Instant(option: options.question.asKnownAt, at: "--as-known-at")
        guard asKnownAt == nil || source == .vault else {
            throw .usage(
                "only a vault records what was known at an earlier time", at: "--as-known-at",
                "ask a vault with --customer ID, or leave the option out")
        }
        if source == .intake || source == .vault, options.question.unsigned {
            throw .usage(
                "a vault contains only verified evidence", at: "--unsigned",
                source == .vault ? "leave it out, or name evidence files" : "give signed evidence")
        }
        if let text = options.question.renewalLeeway {
            guard let leeway = LeewayDuration.milliseconds(text) else {
                throw .usage(
                    "'\(text)' is not a duration of at most 24 hours", at: "--renewal-leeway",
                    "write it like PT1H, PT30M, 90s, 5m or 1h")
            }
            renewalLeeway = leeway
        }
    }
}

extension Instant {
    /// Parses the time of an option; `nil` if the option is not given.
    ///
    /// - Throws: ``CommandError`` with status 64 if the text is not a time.
    init?(option text: String?, at place: String) throws(CommandError) {
        guard let text else { return nil }
        guard let instant = Instant(text) else {
            throw .usage(
                "'\(text)' is not a time", at: place,
                "write it like 2026-03-01T09:30:00Z, 2026-03-01 or milliseconds since 1970")
        }
        self = instant
    }
}

extension Instant {
    /// The opening of the App Store, 10 July 2008.
    private static let openingOfAppStore = Instant(clamped: 1_215_648_000_000)

    /// Returns a warning about an instant before the App Store opened; otherwise `nil`.
    ///
    /// Such an instant usually means that seconds were given instead of milliseconds.
    ///
    /// - Parameter place: The option that contains the instant.
    func warningOfSeconds(at place: String) -> String? {
        guard self < Self.openingOfAppStore else { return nil }
        return
            "\(self) is before the App Store opened in July 2008 (\(place)): a number is a time in milliseconds since "
            + "1970, not in seconds"
    }
}

extension TrustedRootError {
    /// The remedy for the error.
    fileprivate var advice: String {
        switch code {
        case .severalCertificates: "give one certificate a file and repeat --root"
        case .badBase64: "the file is damaged, fetch it again"
        default: "give an X.509 certificate in DER or PEM, such as Apple Root CA - G3"
        }
    }
}

extension AppStore.Environment {
    static let wordAdvice = "use Production, Sandbox, Xcode or LocalTesting"

    /// Creates the environment with exactly this name; `nil` if no environment has the name.
    init?(word: String) {
        self.init(rawValue: word)
        guard isKnown else { return nil }
    }
}
