import Storekeeper
import StorekeeperJWS
import Testing

/// Tests with authentic items that are about another app or from another environment.
struct ItemRequirementsTests {
    let trust: Trust
    init() throws { trust = try Trust.shared.get() }

    private func code(_ payload: [UInt8], _ verifier: JWSVerifier? = nil) throws -> VerificationError.Code? {
        (verifier ?? trust.verifier).verify(try trust.sign(payload)).code
    }

    @Test("Valid items of each kind are verified", arguments: EvidenceKind.allCases)
    func good(kind: EvidenceKind) throws {
        let evidence = trust.verifier.verify(try trust.sign(Sample.payload(kind)))
        #expect(evidence.code == nil)
        #expect(evidence.kind == kind)
    }

    @Test(
        "Another bundle id is refused, in any spelling",
        arguments: ["com.example.other", "com.example.Game", "com.example.game "])
    func bundle(id: String) throws {
        #expect(try code(Sample.transaction(["bundleId": "\"\(id)\""])) == .bundleMismatch)
        #expect(try code(Sample.appTransaction(["bundleId": "\"\(id)\""])) == .bundleMismatch)
        #expect(try code(Sample.notification(data: ["bundleId": "\"\(id)\""])) == .bundleMismatch)
        // A renewal info does not name an app, so a member `bundleId` in it is ignored.
        #expect(try code(Sample.renewalInfo(["bundleId": "\"\(id)\""])) == nil)
        let open = JWSVerifier(.init(roots: [trust.authority.root], bundleID: nil))
        #expect(try code(Sample.transaction(["bundleId": "\"\(id)\""]), open) == nil)
    }

    @Test func `The message names both apps`() throws {
        func message(_ payload: [UInt8]) throws -> String? {
            trust.verifier.verify(try trust.sign(payload)).error?.message
        }
        #expect(
            try message(Sample.transaction(["bundleId": #""com.example.other""#]))
                == "the item is about the app 'com.example.other', not '\(Sample.bundleID)'")
        #expect(
            try message(Sample.appTransaction(["appAppleId": "1"]))
                == "the item is about the app with the Apple id 1, not \(Sample.appAppleID)")
    }

    @Test func `A missing or different Apple id is refused in production`() throws {
        for change: String? in ["1", "null", nil] {
            #expect(try code(Sample.appTransaction(["appAppleId": change])) == .appMismatch)
            #expect(try code(Sample.notification(data: ["appAppleId": change])) == .appMismatch)
        }
        // Transactions have no Apple id.
        #expect(try code(Sample.transaction(["appAppleId": "1"])) == nil)
        let open = JWSVerifier(.init(roots: [trust.authority.root], bundleID: nil))
        #expect(try code(Sample.appTransaction(["appAppleId": nil]), open) == nil)
        let sandbox = JWSVerifier(
            .init(roots: [trust.authority.root], bundleID: nil, appAppleID: Sample.appAppleID, environments: [.sandbox])
        )
        #expect(try code(Sample.appTransaction(["appAppleId": nil, "receiptType": #""Sandbox""#]), sandbox) == nil)
        #expect(try code(Sample.notification(data: ["appAppleId": nil, "environment": #""Sandbox""#]), sandbox) == nil)
    }

    @Test(
        "By default only production is accepted",
        arguments: ["Sandbox", "Xcode", "LocalTesting", "production", "Moon"])
    func environment(name: String) throws {
        let word = "\"\(name)\""
        #expect(try code(Sample.transaction(["environment": word])) == .environmentRefused)
        #expect(try code(Sample.renewalInfo(["environment": word])) == .environmentRefused)
        #expect(try code(Sample.appTransaction(["receiptType": word])) == .environmentRefused)
        #expect(try code(Sample.notification(data: ["environment": word])) == .environmentRefused)
        let other = JWSVerifier(
            .init(roots: [trust.authority.root], bundleID: nil, environments: [.init(rawValue: name)]))
        #expect(try code(Sample.transaction(["environment": word]), other) == nil)
        #expect(try code(Sample.transaction(), other) == .environmentRefused)
    }

    @Test func `No environment skips the signature check`() throws {
        let verifier = JWSVerifier(
            .init(
                roots: [trust.authority.root], bundleID: nil,
                environments: [.xcode, .localTesting, .sandbox, .production]))
        for name in ["Xcode", "LocalTesting"] {
            var segments = Segments(try trust.sign())
            segments.payload = Base64URL.encode(Sample.transaction(["environment": "\"\(name)\""]))
            #expect(verifier.verify(segments.jws).code == .invalidSignature)
        }
    }

    @Test func `An app transaction without a receipt type counts as made in Xcode`() throws {
        #expect(try code(Sample.appTransaction(["receiptType": nil])) == .environmentRefused)
    }

    @Test func `A notification without an app is refused, even if no bundle is compared`() throws {
        let open = JWSVerifier(.init(roots: [trust.authority.root], bundleID: nil))
        #expect(try code(Sample.notification(["data": nil]), open) == .bundleMismatch)
        #expect(try code(Sample.notification(data: ["bundleId": nil]), open) == .bundleMismatch)
        for part in ["summary", "externalPurchaseToken", "appData"] {
            let body = #"{"environment":"Production","bundleId":"com.example.game","appAppleId":1234567890}"#
            let payload = Sample.notification(["data": nil]).dropLast() + Array(#","\#(part)":\#(body)}"#.utf8)
            #expect(try code(Array(payload)) == nil)
        }
    }

    @Test func `Of several addressing faults the bundle comes first, then the app, then the environment`() throws {
        let all: Sample.Members = [
            "bundleId": #""other""#, "appAppleId": "1", "receiptType": #""Production""#,
        ]
        #expect(try code(Sample.appTransaction(all)) == .bundleMismatch)
        let sandboxOnly = JWSVerifier(
            .init(roots: [trust.authority.root], bundleID: nil, appAppleID: Sample.appAppleID, environments: [.sandbox])
        )
        #expect(try code(Sample.appTransaction(["appAppleId": "1"]), sandboxOnly) == .appMismatch)
    }
}
