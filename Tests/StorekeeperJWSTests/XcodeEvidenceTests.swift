import Storekeeper
import StorekeeperJWS
import StorekeeperTesting
import Synchronization
import Testing

/// Tests that evidence from Xcode counts only under exactly the named certificate, and never together with the
/// production environment.
struct XcodeEvidenceTests {
    /// Payloads as Xcode makes them, with ids that begin at zero and with fractions of milliseconds.
    private enum Local {
        static func transaction(_ changes: Sample.Members = [:]) -> [UInt8] {
            Sample.object(
                [
                    ("transactionId", #""0""#), ("originalTransactionId", #""0""#), ("webOrderLineItemId", #""0""#),
                    ("bundleId", #""com.example.game""#), ("productId", #""gold.monthly""#),
                    ("subscriptionGroupIdentifier", #""6F3A93AB""#),
                    ("purchaseDate", "1772358599049.7297"), ("originalPurchaseDate", "1772358599049.7297"),
                    ("expiresDate", "1775036999049.7297"), ("quantity", "1"), ("isUpgraded", "false"),
                    ("type", #""Auto-Renewable Subscription""#), ("inAppOwnershipType", #""PURCHASED""#),
                    ("signedDate", "1772358600000.5"), ("environment", #""Xcode""#), ("storefront", #""USA""#),
                ], changing: changes)
        }

        static let renewalInfo = Sample.renewalInfo([
            "originalTransactionId": #""0""#, "environment": #""Xcode""#, "signedDate": "1772358600000.25",
        ])
        static let appTransaction = Sample.appTransaction([
            "receiptType": #""Xcode""#, "appAppleId": nil, "originalPurchaseDate": "-62135769600000",
            "receiptCreationDate": "1772358600000.75",
        ])
        /// An app transaction as signed by versions of Xcode that omit the environment.
        static let placelessAppTransaction = Sample.appTransaction(["receiptType": nil, "appAppleId": nil])
    }

    private static let authorities = Result {
        (xcode: try XcodeAuthority(), other: try XcodeAuthority(), store: try LocalAuthority())
    }

    private let xcode: XcodeAuthority
    private let other: XcodeAuthority
    private let store: LocalAuthority

    init() throws { (xcode, other, store) = try Self.authorities.get() }

    private func verifier(
        _ environments: Set<AppStore.Environment> = [.xcode], roots: [TrustedRoot]? = nil,
        bundleID: String? = Sample.bundleID, revocation: (any RevocationChecker)? = nil
    ) -> JWSVerifier {
        JWSVerifier(
            .init(
                roots: roots ?? [xcode.certificate], bundleID: bundleID, appAppleID: Sample.appAppleID,
                environments: environments, revocation: revocation))
    }

    @Test("Every kind of evidence is verified under the named certificate")
    func accepted() async throws {
        let verifier = verifier()
        let items = try [
            Local.transaction(), Local.renewalInfo, Local.appTransaction, Local.placelessAppTransaction,
        ].map { try xcode.sign(payload: $0) }
        // The first round verifies with a new certificate, and the second round with the same certificate from the
        // cache.
        for _ in 0..<2 {
            #expect(items.map { verifier.verify($0).error } == [nil, nil, nil, nil])
        }
        let transaction = try verifier.transaction(items[0]).payloadValue
        #expect(transaction.id == "0" && transaction.originalID == "0" && transaction.environment == .xcode)
        #expect(transaction.signedAt == Instant(clamped: 1_772_358_600_000))
        #expect(try verifier.renewalInfo(items[1]).payloadValue.environment == .xcode)
        #expect(try verifier.appTransaction(items[2]).payloadValue.environment == .xcode)
        let batch = await verifier.verifyBatch(
            Array(repeating: items, count: 40).joined().compactMap { CompactJWS($0) })
        #expect(batch.count == 160 && batch.allSatisfy { $0.error == nil })
    }

    @Test("The certificate may be named together with the root of a chain, and both count for their own evidence")
    func besideARoot() throws {
        let verifier = verifier([.xcode, .sandbox], roots: [store.root, xcode.certificate])
        #expect(try verifier.verify(xcode.sign(payload: Local.transaction())).error == nil)
        let sandbox = Sample.transaction(["environment": #""Sandbox""#])
        #expect(try verifier.verify(store.makeSigner().sign(payload: sandbox)).error == nil)
        // A local authority may also sign evidence of the environment Xcode.
        #expect(try verifier.verify(store.makeSigner().sign(payload: Local.transaction())).error == nil)
    }

    @Test(
        "Without the certificate, without the environment Xcode, or with production as well, it is refused as before",
        arguments: [
            (isNamed: false, environments: [AppStore.Environment.xcode]), (true, [.sandbox]), (true, []),
            (true, [.production]), (true, [.xcode, .production]),
            (true, [.xcode, .sandbox, .localTesting, .production]),
        ] as [(isNamed: Bool, environments: Set<AppStore.Environment>)])
    func notTrusted(isNamed: Bool, environments: Set<AppStore.Environment>) throws {
        let roots = [store.root, other.certificate] + (isNamed ? [xcode.certificate] : [])
        let verifier = verifier(environments, roots: roots)
        #expect(verifier.configuration.trustsXcodeCertificates == (environments == [.xcode]))
        let error = try verifier.verify(xcode.sign(payload: Local.transaction())).error
        #expect(error?.code == .chainLength)
        #expect(error?.message.contains("Production") == isNamed, "\(error?.message ?? "")")
    }

    /// The forgeries that an attacker may send to a server that trusts Xcode's certificate and a store's root.
    private static let forgeries: [(name: String, code: VerificationError.Code)] = [
        ("the certificate, another key", .invalidSignature), ("another certificate of that name", .chainLength),
        ("the certificate twice", .chainLength), ("the certificate three times", .untrustedChain),
        ("the certificate as the leaf of a chain", .untrustedChain),
        ("the certificate as the root of a chain", .untrustedChain),
        ("the certificate as the intermediate of a chain", .untrustedChain),
        ("the store's leaf alone", .chainLength), ("the store's root alone", .chainLength),
        ("no certificate", .chainLength), ("a certificate with a changed bit", .chainLength),
        ("a certificate with a byte more", .chainLength),
        ("another payload", .invalidSignature), ("another app", .bundleMismatch),
        ("of production", .environmentRefused), ("of the sandbox", .environmentRefused),
        ("of a library's unit tests", .environmentRefused), ("of no environment", .malformed),
        ("an unsecured header", .unsupportedAlgorithm), ("a header with a key", .forbiddenHeader),
    ]

    @Test("Forged evidence is refused", arguments: forgeries)
    func forged(name: String, code: VerificationError.Code) throws {
        let verifier = verifier([.xcode, .sandbox, .localTesting], roots: [store.root, xcode.certificate])
        let own = xcode.certificate.der
        let signer = store.makeSigner()
        let chain = try signer.certificates
        let payload = Local.transaction()
        func places(_ environment: String?) -> [UInt8] { Local.transaction(["environment": environment]) }
        func header(_ members: String) -> String {
            #"{\#(members),"x5c":\#(Trust.x5c([own]))}"#
        }
        let jws: String
        switch name {
        case "the certificate, another key": jws = try other.sign(payload: payload, certificates: [own])
        case "another certificate of that name": jws = try other.sign(payload: payload)
        case "the certificate twice": jws = try xcode.sign(payload: payload, certificates: [own, own])
        case "the certificate three times": jws = try xcode.sign(payload: payload, certificates: [own, own, own])
        case "the certificate as the leaf of a chain":
            jws = try xcode.sign(payload: payload, certificates: [own, chain[1], chain[2]])
        case "the certificate as the root of a chain":
            jws = try signer.sign(
                header: JWSSigner.header(certificates: [chain[0], chain[1], own]), payload: payload)
        case "the certificate as the intermediate of a chain":
            jws = try xcode.sign(payload: payload, certificates: [own, own, chain[2]])
        case "the store's leaf alone":
            jws = try signer.sign(header: JWSSigner.header(certificates: [chain[0]]), payload: payload)
        case "the store's root alone":
            jws = try signer.sign(header: JWSSigner.header(certificates: [chain[2]]), payload: payload)
        case "no certificate": jws = try xcode.sign(payload: payload, certificates: [])
        case "a certificate with a changed bit":
            jws = try xcode.sign(payload: payload, certificates: [own.dropLast() + [(own.last ?? 0) ^ 1]])
        case "a certificate with a byte more": jws = try xcode.sign(payload: payload, certificates: [own + [0]])
        case "another payload":
            var segments = Segments(try xcode.sign(payload: payload))
            segments.payload = Segments(try xcode.sign(payload: Local.renewalInfo)).payload
            jws = segments.jws
        case "another app": jws = try xcode.sign(payload: Local.transaction(["bundleId": #""com.example.other""#]))
        case "of production": jws = try xcode.sign(payload: places(#""Production""#))
        case "of the sandbox": jws = try xcode.sign(payload: places(#""Sandbox""#))
        case "of a library's unit tests": jws = try xcode.sign(payload: places(#""LocalTesting""#))
        case "of no environment": jws = try xcode.sign(payload: places(nil))
        case "an unsecured header":
            jws = try signer.sign(header: header(#""alg":"none""#), payload: payload)
        default:
            jws = try signer.sign(header: header(#""alg":"ES256","jwk":{"kty":"EC"}"#), payload: payload)
        }
        // The result is the same when the genuine certificate is in the cache.
        #expect(verifier.verify(jws).code == code)
        #expect(try verifier.verify(xcode.sign(payload: payload)).code == nil)
        #expect(verifier.verify(jws).code == code)
    }

    @Test("The certificate must have been valid when the item was signed")
    func validity() throws {
        let signed = Sample.signedAt
        for (validity, code) in [
            (signed...signed, nil), (signed.adding(milliseconds: 1000)...signed.adding(milliseconds: 2000), true),
            (Instant(clamped: 0)...signed.adding(milliseconds: -1000), true),
        ] as [(ClosedRange<Instant>, Bool?)] {
            let authority = try XcodeAuthority(validity: validity)
            let verifier = verifier(roots: [authority.certificate])
            let jws = try authority.sign(payload: Local.transaction())
            #expect(verifier.verify(jws).code == code.map { _ in .certificateNotValidAtSigning })
        }
    }

    @Test("A certificate that may issue others is the root of chains, not of evidence")
    func issuingCertificate() throws {
        let authority = try XcodeAuthority(mayIssueCertificates: true)
        #expect(xcode.certificate.isXcodeCertificate)
        #expect(!authority.certificate.isXcodeCertificate && !store.root.isXcodeCertificate)
        let leaf = try TrustedRoot(der: try #require(try store.makeSigner().certificates.first))
        #expect(!leaf.isXcodeCertificate)
        let verifier = verifier(roots: [authority.certificate, leaf])
        #expect(try verifier.verify(authority.sign(payload: Local.transaction())).code == .chainLength)
    }

    @Test("A notification and its parts count only if all of them are of Xcode")
    func notification() throws {
        let verifier = verifier([.xcode, .sandbox], roots: [store.root, xcode.certificate])
        func contents(_ transaction: String) throws -> [VerificationError.Code?] {
            let jws = try xcode.sign(
                payload: Sample.notification(data: [
                    "environment": #""Xcode""#, "signedTransactionInfo": "\"\(transaction)\"",
                ]))
            return verifier.contents(of: try verifier.notification(jws).payloadValue).map(\.code)
        }
        #expect(try contents(xcode.sign(payload: Local.transaction())) == [nil])
        let sandbox = Sample.transaction(["environment": #""Sandbox""#])
        #expect(try contents(store.makeSigner().sign(payload: sandbox)) == [.environmentRefused])
        #expect(try contents(other.sign(payload: Local.transaction())) == [.chainLength])
    }

    /// Counts the calls.
    private final class Checker: RevocationChecker {
        let asked = Mutex(0)

        func status(of chain: SigningChain, at: Instant) -> RevocationStatus {
            asked.withLock { $0 += 1 }
            return .revoked
        }

        func learn(_ chain: SigningChain) async { asked.withLock { $0 += 1 } }
    }

    @Test("Nobody is asked whether the certificate was revoked: its owner no longer names it then")
    func revocation() async throws {
        let checker = Checker()
        let verifier = verifier(revocation: checker)
        let jws = try xcode.sign(payload: Local.transaction())
        await verifier.learnRevocation(of: [jws])
        #expect(verifier.verify(jws).code == nil)
        await verifier.learnRevocation(of: [jws])
        #expect(checker.asked.withLock { $0 } == 0)
    }

    @Test("An audit of stored evidence also reads what was accepted from Xcode, and nothing else under its certificate")
    func audit() throws {
        let configuration = JWSVerifier.Configuration(
            roots: [store.root, xcode.certificate], bundleID: nil, environments: [.production, .xcode])
        let auditor = JWSVerifier(auditing: configuration)
        #expect(try auditor.verify(xcode.sign(payload: Local.transaction())).code == nil)
        #expect(try auditor.verify(store.makeSigner().sign(payload: Sample.transaction())).code == nil)
        #expect(try auditor.verify(xcode.sign(payload: Sample.transaction())).code == .environmentRefused)
    }
}
