import Storekeeper
import StorekeeperJWS
import Testing

/// Tests of the optional and the required members of payloads.
struct PayloadTests {
    let trust: Trust
    init() throws { trust = try Trust.shared.get() }

    private func verify(_ payload: [UInt8]) throws -> CheckedEvidence {
        trust.verifier.verify(try trust.sign(payload))
    }

    @Test(
        "A payload without a valid date is malformed",
        arguments: [nil, "null", #""2026-03-01""#, "true", "1e30", "{}", "9000000000000000"])
    func date(_ date: String?) throws {
        #expect(try verify(Sample.transaction(["signedDate": date])).code == .malformed)
        #expect(try verify(Sample.renewalInfo(["signedDate": date])).code == .malformed)
        #expect(try verify(Sample.notification(["signedDate": date])).code == .malformed)
        #expect(try verify(Sample.appTransaction(["receiptCreationDate": date])).code == .malformed)
        // For an app transaction, only `receiptCreationDate` counts as the signing date.
        let both = Sample.appTransaction(["receiptCreationDate": date, "signedDate": "1772358600000"])
        #expect(try verify(both).code == .malformed)
        // An unreadable date is reported before a wrong algorithm, as is every payload that cannot be read.
        let jws = try trust.sign(header: #"{"alg":"none","x5c":[]}"#, Sample.transaction(["signedDate": date]))
        #expect(trust.verifier.verify(jws).code == .malformed)
    }

    @Test(
        "Fractions of milliseconds in dates are truncated",
        arguments: ["1772358600000.4375", "1772358600000.999", "1.7723586000009e12"])
    func fraction(_ date: String) throws {
        let result = try trust.verifier.transaction(trust.sign(Sample.transaction(["signedDate": date])))
        #expect(try result.payloadValue.signedAt == Sample.signedAt)
    }

    @Test(
        "A missing member is malformed, but only after the signature was verified",
        arguments: [
            "transactionId", "originalTransactionId", "bundleId", "productId", "purchaseDate", "type", "environment",
        ])
    func missing(member: String) throws {
        let payload = Sample.object(
            [("inAppOwnershipType", #""PURCHASED""#)] + Self.members.filter { $0.0 != member }, changing: [:])
        let evidence = try verify(payload)
        #expect(evidence.code == .malformed)
        guard let document = evidence.unreadableDocument else {
            Issue.record("decoded without \(member)")
            return
        }
        #expect(document.root.object?["signedDate"]?.int64 == 1_772_358_600_000)
        var forged = Segments(try trust.sign())
        forged.payload = Base64URL.encode(payload)
        #expect(trust.verifier.verify(forged.jws).code == .invalidSignature)
    }

    private static let members = [
        ("transactionId", #""2000""#), ("originalTransactionId", #""1000""#), ("bundleId", #""com.example.game""#),
        ("productId", #""gold.monthly""#), ("purchaseDate", "1772358000000"), ("type", #""Consumable""#),
        ("signedDate", "1772358600000"), ("environment", #""Production""#),
    ]

    @Test func `An unknown kind of payload is malformed after the signature was verified`() throws {
        let payload = Array(#"{"signedDate":1772358600000,"something":"else"}"#.utf8)
        #expect(try verify(payload).code == .malformed)
        var forged = Segments(try trust.sign())
        forged.payload = Base64URL.encode(payload)
        #expect(trust.verifier.verify(forged.jws).code == .invalidSignature)
    }

    @Test func `Unknown values are kept and listed`() throws {
        let jws = try trust.sign(
            Sample.transaction([
                "type": #""Timed Rental""#, "inAppOwnershipType": #""BORROWED""#, "offerType": "9",
                "appAccountToken": #""customer-7""#, "newMember": #"{"a":[1]}"#,
            ]))
        let transaction = try trust.verifier.transaction(jws).payloadValue
        #expect(transaction.productType.rawValue == "Timed Rental")
        #expect(transaction.ownershipType.rawValue == "BORROWED")
        #expect(transaction.appAccountToken == nil)
        #expect(
            Set(transaction.unknownValues) == [
                "type: Timed Rental", "inAppOwnershipType: BORROWED", "offerType: 9", "appAccountToken: not a UUID",
            ])
        #expect(transaction.source.jws?.compact == jws)
    }

    @Test func `Member names and values may be written with escapes`() throws {
        let text = String(decoding: Sample.transaction(), as: UTF8.self)
            .replacing("productId", with: #"\u0070roductId"#).replacing("gold", with: #"g\u006Fld"#)
        let result = try trust.verifier.transaction(trust.sign(Array(text.utf8)))
        #expect(try result.payloadValue.productID == "gold.monthly")
    }

    @Test func `The payload of an item that failed verification can still be read`() throws {
        var segments = Segments(try trust.sign())
        segments.signature = Base64URL.encode([UInt8](repeating: 1, count: 64))
        let result = try trust.verifier.transaction(segments.jws)
        #expect(result.error?.code == .invalidSignature)
        #expect(result.unsafePayloadValue.productID == "gold.monthly")
        #expect(throws: VerificationError(.invalidSignature, "")) { try result.payloadValue }
        segments.header = "!"
        #expect(try trust.verifier.transaction(segments.jws).error?.code == .malformed)
        guard let document = trust.verifier.verify("!.\(Base64URL.encode(Array("[1]".utf8))).!").unreadableDocument
        else {
            Issue.record("the payload of an unreadable item is missing")
            return
        }
        #expect(document.root.kind == .array)
    }

    @Test(
        "A call for one kind of evidence refuses other kinds", arguments: EvidenceKind.allCases, EvidenceKind.allCases)
    func typed(asked: EvidenceKind, given: EvidenceKind) throws {
        let jws = try trust.sign(Sample.payload(given))
        func ask() throws(VerificationError) -> VerificationError? {
            switch asked {
            case .transaction: try trust.verifier.transaction(jws).error
            case .renewalInfo: try trust.verifier.renewalInfo(jws).error
            case .appTransaction: try trust.verifier.appTransaction(jws).error
            case .notification: try trust.verifier.notification(jws).error
            }
        }
        if asked == given {
            #expect(try ask() == nil)
        } else {
            #expect(throws: VerificationError(.malformed, "")) { try ask() }
        }
    }

    @Test func `Messages contain no part of a token, but for the app's id`() throws {
        let jws = try trust.sign(
            Sample.transaction(["bundleId": #""com.other.app""#, "appAccountToken": #""secret-token""#]))
        var forged = Segments(jws)
        forged.signature = Segments(try trust.sign()).signature
        for text in [jws, forged.jws, jws + "=", String(jws.dropLast(9))] {
            let error = trust.verifier.verify(text).error
            #expect(error != nil)
            #expect(error?.description.contains("secret") == false)
        }
    }
}

/// Tests of the rules that determine the kind of evidence.
struct EvidenceKindTests {
    @Test(
        "The first matching kind is the kind of a payload",
        arguments: [
            (#"{"transactionId":"1"}"#, EvidenceKind.transaction), (#"{"purchaseDate":1}"#, .transaction),
            (#"{"type":"x","receiptType":"Production"}"#, .transaction), (#"{"inAppOwnershipType":"x"}"#, .transaction),
            (#"{"originalTransactionId":"1","autoRenewStatus":0}"#, .renewalInfo),
            (#"{"renewalDate":1,"originalTransactionId":"1"}"#, .renewalInfo),
            (#"{"originalTransactionId":"1","receiptType":"x"}"#, .appTransaction),
            (#"{"receiptCreationDate":1}"#, .appTransaction), (#"{"applicationVersion":"1"}"#, .appTransaction),
            (#"{"originalApplicationVersion":"1","notificationType":"x"}"#, .appTransaction),
            (#"{"notificationUUID":"x"}"#, .notification),
            (#"{"notificationType":"TEST","data":{"type":1}}"#, .notification),
            (#"{"transactionId":null,"notificationType":"TEST"}"#, .notification),
            (#"{"transactionI\u0064":"1"}"#, .transaction),
        ])
    func kind(text: String, kind: EvidenceKind) throws {
        #expect(EvidenceKind(payload: try JSONReader().read(Array(text.utf8)).root) == kind)
    }

    @Test(
        "Other payloads have no kind",
        arguments: [
            #"{}"#, #"{"originalTransactionId":"1"}"#, #"{"autoRenewStatus":1}"#, "[]", "5", #"{"signedDate":1}"#,
        ])
    func none(text: String) throws {
        #expect(EvidenceKind(payload: try JSONReader().read(Array(text.utf8)).root) == nil)
    }
}
