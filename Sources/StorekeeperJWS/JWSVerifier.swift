import FoundationEssentials
public import StorekeeperEngine
import Synchronization

/// Verifies evidence that was signed by the App Store or, in place of the App Store, by a ``LocalAuthority``.
///
/// The following rules are checked in this order and cannot be changed. The algorithm must be ES256. There must be
/// three certificates in `x5c`; the last must be a trusted root byte for byte, and the other two must have the App
/// Store's marker extensions. The certificates must be valid on the item's signing date. Then the signature is checked,
/// and finally the app, the environment and the kind. The environments Xcode and local testing are not exempt from the
/// signature check. A call never waits for a network.
///
/// Xcode signs with a single self-signed certificate. A verifier accepts this evidence if its configuration contains
/// the certificate as a root, accepts the environment Xcode and does not accept production. The header of the evidence
/// must contain only this certificate, byte for byte.
///
/// A verifier may be used from many tasks at once. It caches recently verified certificate chains, so that a further
/// item with the same certificates requires only one signature check.
///
/// - SeeAlso: Apple, "App Store Server API: JWSTransaction"; RFC 7515, "JSON Web Signature (JWS)".
public final class JWSVerifier: TransactionVerifier {
    /// The roots a verifier trusts, and the apps and environments it accepts.
    public struct Configuration: Sendable {
        /// The trusted roots; without a root, no evidence is trusted.
        ///
        /// The roots may include certificates of Xcode; see ``trustsXcodeCertificates``.
        public var roots: [TrustedRoot]
        /// The bundle id of the app; `nil` skips the check.
        ///
        /// A renewal info does not contain a bundle id, so it is used only together with a transaction of the same
        /// subscription, which does.
        public var bundleID: String?
        /// The App Store's number for the app, compared in production with the number in app transactions and
        /// notifications; `nil` skips the check.
        public var appAppleID: Int64?
        /// The environments that are accepted.
        public var environments: Set<AppStore.Environment>
        /// The revocation checker; `nil`, the default, skips the check.
        public var revocation: (any RevocationChecker)?

        /// Creates a configuration.
        ///
        /// - Parameters:
        ///   - roots: The trusted root certificates.
        ///   - bundleID: The app that evidence must be about. `nil` accepts evidence of every app. Use `nil` to inspect
        ///     evidence, but not to grant access.
        ///   - appAppleID: The App Store's number for the app, compared in production.
        ///   - environments: The environments that are accepted.
        ///   - revocation: The revocation checker; `nil` skips the check.
        public init(
            roots: [TrustedRoot], bundleID: String?, appAppleID: Int64? = nil,
            environments: Set<AppStore.Environment> = [.production], revocation: (any RevocationChecker)? = nil
        ) {
            self.roots = roots
            self.bundleID = bundleID
            self.appAppleID = appAppleID
            self.environments = environments
            self.revocation = revocation
        }

        /// Whether the certificates of Xcode among the roots are trusted.
        ///
        /// The certificates are trusted only if the environment Xcode is accepted and production is not accepted.
        /// Anyone who can use the Mac on which such a certificate was created can sign any purchase with it.
        public var trustsXcodeCertificates: Bool {
            environments.contains(.xcode) && !environments.contains(.production)
        }
    }

    /// The roots this verifier trusts, and the apps and environments it accepts.
    public let configuration: Configuration
    /// The environments that are accepted.
    public var environments: Set<AppStore.Environment> { configuration.environments }
    /// The roots, without certificates of Xcode.
    let roots: Set<TrustedRoot>
    /// Whether the certificates of Xcode among the roots are trusted.
    let trustsXcodeCertificates: Bool
    let addressee: ItemRequirements
    let cache = ChainCache()

    /// Creates a verifier.
    public convenience init(_ configuration: Configuration) {
        self.init(configuration, trustsXcodeCertificates: configuration.trustsXcodeCertificates)
    }

    /// Creates a verifier for stored evidence, which trusts certificates of Xcode even if production is accepted.
    package convenience init(auditing configuration: Configuration) {
        self.init(configuration, trustsXcodeCertificates: configuration.environments.contains(.xcode))
    }

    private init(_ configuration: Configuration, trustsXcodeCertificates: Bool) {
        self.configuration = configuration
        self.trustsXcodeCertificates = trustsXcodeCertificates
        roots = Set(configuration.roots.filter { !$0.isXcodeCertificate })
        addressee = ItemRequirements(
            bundleID: configuration.bundleID, appAppleID: configuration.appAppleID,
            environments: configuration.environments)
    }

    /// Verifies a compact JWS; the members of the payload determine the kind of the evidence.
    ///
    /// - Parameter jws: Three segments joined by dots, without white space around them. The decoded header may have at
    ///   most 64 KiB, and the decoded payload at most 1 MiB.
    public func verify(_ jws: String) -> CheckedEvidence { verify(CompactJWS(jws)) }

    /// Verifies a compact JWS that was already split into segments.
    public func verify(_ jws: CompactJWS) -> CheckedEvidence {
        var recent: VerifiedChain?
        return verify(jws, for: addressee, recent: &recent)
    }

    /// Verifies the bytes of a compact JWS.
    ///
    /// - Parameter bytes: ASCII text; see ``verify(_:)-(String)``.
    public func verify(bytes: some Collection<UInt8>) -> CheckedEvidence { verify(CompactJWS(bytes)) }

    private func verify(_ jws: CompactJWS?) -> CheckedEvidence {
        guard let jws else { return .unreadable(Self.notThreeSegments, payload: nil) }
        return verify(jws)
    }

    static let notThreeSegments = VerificationError(
        .malformed, "the text is not three segments joined by dots (a compact JWS)")
}

extension JWSVerifier {
    /// The number of items in a block; a worker verifies one block at a time.
    private static let blockSize = 32

    /// Verifies many items on all cores.
    ///
    /// - Returns: The result of each item, in the given order. An invalid item does not affect the results of other
    ///   items.
    public func verifyBatch(_ items: [CompactJWS]) async -> [CheckedEvidence] {
        let blocks = (items.count + Self.blockSize - 1) / Self.blockSize
        guard blocks > 1 else {
            var recent: VerifiedChain?
            return items.map { verify($0, for: addressee, recent: &recent) }
        }
        // The work runs in child tasks even on one core, so that a long batch does not block the caller's actor.
        let workers = min(max(1, ProcessInfo.processInfo.activeProcessorCount), blocks)
        let counter = BlockCounter()
        var results = [[CheckedEvidence]](repeating: [], count: blocks)
        await withTaskGroup(of: [(Int, [CheckedEvidence])].self) { group in
            for _ in 0..<workers {
                group.addTask { self.verifyBlocks(of: items, counter) }
            }
            for await share in group {
                for (block, verified) in share { results[block] = verified }
            }
        }
        return Array(results.joined())
    }

    /// Verifies blocks until no block is left.
    private func verifyBlocks(of items: [CompactJWS], _ counter: BlockCounter) -> [(Int, [CheckedEvidence])] {
        var done: [(Int, [CheckedEvidence])] = []
        var recent: VerifiedChain?
        while true {
            let block = counter.next()
            let start = block * Self.blockSize
            guard start < items.count else { return done }
            let end = min(start + Self.blockSize, items.count)
            done.append((block, items[start..<end].map { verify($0, for: addressee, recent: &recent) }))
        }
    }
}

/// Assigns the blocks of a batch to workers, each block once.
private final class BlockCounter: Sendable {
    private let taken = Atomic<Int>(0)

    func next() -> Int { taken.wrappingAdd(1, ordering: .relaxed).oldValue }
}

extension JWSVerifier {
    /// Verifies a compact JWS that must be a transaction.
    ///
    /// - Returns: The transaction, trusted or not.
    /// - Throws: `VerificationError` if no transaction could be decoded; for a verified item of another kind, the error
    ///   is `malformed`.
    public func transaction(_ jws: String) throws(VerificationError) -> VerificationResult<Transaction> {
        let evidence = verify(jws)
        guard case .transaction(let result) = evidence else { throw Self.another(evidence, than: .transaction) }
        return result
    }

    /// Verifies a compact JWS that must be a renewal info.
    ///
    /// - Returns: The renewal info, trusted or not.
    /// - Throws: `VerificationError` under the same conditions as ``transaction(_:)``.
    public func renewalInfo(_ jws: String) throws(VerificationError) -> VerificationResult<RenewalInfo> {
        let evidence = verify(jws)
        guard case .renewalInfo(let result) = evidence else { throw Self.another(evidence, than: .renewalInfo) }
        return result
    }

    /// Verifies a compact JWS that must be an app transaction.
    ///
    /// - Returns: The app transaction, trusted or not.
    /// - Throws: `VerificationError` under the same conditions as ``transaction(_:)``.
    public func appTransaction(_ jws: String) throws(VerificationError) -> VerificationResult<AppTransaction> {
        let evidence = verify(jws)
        guard case .appTransaction(let result) = evidence else { throw Self.another(evidence, than: .appTransaction) }
        return result
    }

    /// Verifies the compact JWS of a notification, its `signedPayload`.
    ///
    /// - Returns: The notification, trusted or not. The signed parts inside the notification are not verified by this
    ///   call, but by ``contents(of:)``.
    /// - Throws: `VerificationError` under the same conditions as ``transaction(_:)``.
    public func notification(_ jws: String) throws(VerificationError) -> VerificationResult<ServerNotification> {
        let evidence = verify(jws)
        guard case .notification(let result) = evidence else { throw Self.another(evidence, than: .notification) }
        return result
    }

    private static func another(_ evidence: CheckedEvidence, than kind: EvidenceKind) -> VerificationError {
        evidence.error ?? VerificationError(.malformed, "the item is not of the kind \(kind.rawValue)")
    }

    /// Verifies the signed parts inside a notification.
    ///
    /// Each part must be of the kind that its member's name announces. It must be about the app of the notification
    /// (`bundleMismatch`) and from the environment of the notification (`environmentRefused`). Without these rules, a
    /// notification could contain a validly signed part about a purchase in another app or environment.
    ///
    /// - Parameter notification: A notification that was verified before; this call trusts its bundle id and
    ///   environment.
    /// - Returns: The transaction, the renewal info and the app transaction, in this order; parts that the notification
    ///   lacks are left out.
    public func contents(of notification: ServerNotification) -> [CheckedEvidence] {
        var inner = addressee
        inner.outerBundleID = notification.bundleID
        inner.environments = configuration.environments.intersection([notification.environment])
        let parts: [(String?, EvidenceKind)] = [
            (notification.signedTransactionInfo, .transaction), (notification.signedRenewalInfo, .renewalInfo),
            (notification.signedAppTransactionInfo, .appTransaction),
        ]
        var recent: VerifiedChain?
        var contents: [CheckedEvidence] = []
        for case (let text?, let kind) in parts {
            guard let jws = CompactJWS(text) else {
                contents.append(.unreadable(Self.notThreeSegments, payload: nil))
                continue
            }
            inner.kind = kind
            contents.append(verify(jws, for: inner, recent: &recent))
        }
        return contents
    }
}

extension JWSVerifier {
    /// Lets the revocation checker request the statuses of the certificates of items, before the items are verified.
    ///
    /// A call of ``verify(_:)-(String)`` never waits for a network, so callers that can wait should call this first.
    /// The checker is asked only about certificates that lead to a trusted root, so that an attacker cannot direct the
    /// checker to a URL of their choice.
    ///
    /// - Parameter items: Compact JWS; invalid items and items whose certificates are not trusted are skipped.
    public func learnRevocation(of items: [String]) async {
        guard let checker = configuration.revocation else { return }
        var learned: Set<SigningChain> = []
        for item in items where !Task.isCancelled {
            guard let jws = CompactJWS(item), let chain = provenChain(of: jws), learned.insert(chain).inserted else {
                continue
            }
            await checker.learn(chain)
        }
    }

    /// Returns the certificates of an item, if they lead to a trusted root.
    private func provenChain(of jws: CompactJWS) -> SigningChain? {
        if let known = cache.chain(for: jws.header) { return known.certificates }
        guard let header = try? JWSHeader(segment: jws.header.bytes) else { return nil }
        return (try? chain(of: header, segment: jws.header))?.certificates
    }
}
