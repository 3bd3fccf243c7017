import Storekeeper
import StorekeeperJWS
import Testing

/// Tests of the signed transactions, renewal infos and other items inside a notification.
struct NotificationContentsTests {
    let trust: Trust
    init() throws { trust = try Trust.shared.get() }

    private func contents(
        transaction: [UInt8]? = nil, renewalInfo: [UInt8]? = nil, appTransaction: [UInt8]? = nil,
        environment: String = "Production", verifier: JWSVerifier? = nil
    ) throws -> [CheckedEvidence] {
        func part(_ payload: [UInt8]?) throws -> String? { try payload.map { "\"\(try trust.sign($0))\"" } }
        let payload = Sample.notification(data: [
            "environment": "\"\(environment)\"", "signedTransactionInfo": try part(transaction),
            "signedRenewalInfo": try part(renewalInfo), "signedAppTransactionInfo": try part(appTransaction),
        ])
        let verifier = verifier ?? trust.verifier
        return verifier.contents(of: try verifier.notification(trust.sign(payload)).payloadValue)
    }

    @Test func `Parts are listed in the order transaction, renewal info, app transaction`() throws {
        let parts = try contents(
            transaction: Sample.transaction(), renewalInfo: Sample.renewalInfo(),
            appTransaction: Sample.appTransaction())
        #expect(parts.map(\.kind) == [.transaction, .renewalInfo, .appTransaction])
        #expect(parts.allSatisfy { $0.code == nil })
        #expect(try contents().isEmpty)
        #expect(try contents(renewalInfo: Sample.renewalInfo()).map(\.kind) == [.renewalInfo])
    }

    @Test func `A part about another app is refused`() throws {
        let open = JWSVerifier(.init(roots: [trust.authority.root], bundleID: nil))
        let other = Sample.transaction(["bundleId": #""com.example.other""#, "environment": #""Sandbox""#])
        #expect(try contents(transaction: other).map(\.code) == [.bundleMismatch])
        // The transaction is refused even if the verifier accepts every app, because its app is not the app of the
        // notification.
        #expect(try contents(transaction: other, verifier: open).map(\.code) == [.bundleMismatch])
        let app = Sample.appTransaction(["bundleId": #""com.example.other""#])
        #expect(try contents(appTransaction: app, verifier: open).map(\.code) == [.bundleMismatch])
    }

    @Test func `A part from another environment than its notification is refused, even if the verifier accepts it`()
        throws
    {
        let both = JWSVerifier(
            .init(roots: [trust.authority.root], bundleID: nil, environments: [.production, .sandbox]))
        let sandbox = #""Sandbox""#
        let parts = try contents(
            transaction: Sample.transaction(["environment": sandbox]),
            renewalInfo: Sample.renewalInfo(["environment": sandbox]),
            appTransaction: Sample.appTransaction(["receiptType": sandbox]), verifier: both)
        #expect(parts.map(\.code) == [.environmentRefused, .environmentRefused, .environmentRefused])
        let inSandbox = try contents(
            transaction: Sample.transaction(["environment": sandbox]), renewalInfo: Sample.renewalInfo(),
            environment: "Sandbox", verifier: both)
        #expect(inSandbox.map(\.code) == [nil, .environmentRefused])
    }

    @Test func `A part of a kind that does not match its name is refused`() throws {
        let parts = try contents(transaction: Sample.renewalInfo(), renewalInfo: Sample.transaction())
        #expect(parts.map(\.code) == [.malformed, .malformed])
    }

    @Test func `A part with an invalid signature or format is refused, and the others count`() throws {
        var forged = Segments(try trust.sign())
        forged.payload = Base64URL.encode(Sample.transaction(["productId": #""everything""#]))
        let payload = Sample.notification(data: [
            "signedTransactionInfo": "\"\(forged.jws)\"",
            "signedRenewalInfo": "\"\(try trust.sign(Sample.renewalInfo()))\"",
            "signedAppTransactionInfo": #""nothing""#,
        ])
        let notification = try trust.verifier.notification(trust.sign(payload)).payloadValue
        #expect(trust.verifier.contents(of: notification).map(\.code) == [.invalidSignature, nil, .malformed])
    }
}
