import Foundation
import Storekeeper
import StorekeeperJWS
import StorekeeperTesting
import Testing

@testable import StorekeeperSimulator

/// Tests that Apple's App Store Server Library verifies all data that the simulator signs.
///
/// `Scripts/apple-library.sh` downloads the library. If the download has failed, these tests are skipped, or fail if
/// the environment contains `STOREKEEPER_APPLE_LIBRARY=required`.
@Suite(.system, .enabled(if: AppleLibrary.isWanted, "run Scripts/apple-library.sh to verify this with Apple's library"))
struct AppleLibraryTests {
    @Test(
        "Apple's library verifies and decodes every kind of object that the simulator signs",
        arguments: [AppStore.Environment.sandbox, .production])
    func everyKind(_ environment: AppStore.Environment) throws {
        let store = try Self.life(in: environment)
        var items: [AppleLibrary.Item] = []
        func add(_ name: String, _ kind: EvidenceKind, _ jws: String) {
            items.append(AppleLibrary.Item(name, kind, environment, jws))
        }
        for customer in ["anna", "bert"] as [CustomerID] {
            for device in [nil, SampleStore.device] {
                add("app transaction", .appTransaction, try store.appTransaction(of: customer, device: device))
            }
            for jws in try store.evidence(of: customer) {
                let payload = try JSONReader().read(try #require(CompactJWS(jws)?.payloadContent)).root
                add("evidence", try #require(EvidenceKind(payload: payload)), jws)
            }
        }
        var kinds: Set<HappeningKind> = []
        for happening in store.happenings() {
            guard let jws = try store.notification(of: happening.id) else { continue }
            add("\(happening.kind)", .notification, jws)
            kinds.insert(happening.kind)
        }
        // The library does not support notifications about groups and seats yet.
        let unknown: Set<HappeningKind> = [.seatsAdded, .seatsReduced, .seatsUnclaimed, .seatsRefunded]
        let all = Set(HappeningKind.allCases.filter { $0.notification != nil }).subtracting(unknown)
        #expect(all.subtracting(kinds) == [], "the story causes every notification")
        let report = try AppleLibrary.read(items, of: store)
        #expect(report.status == 0, "\(report.errors)")
        for kind in ["transaction: ", "renewalInfo: ", "appTransaction: ", "notification: ", "summary: "] {
            #expect(report.output.contains(kind), "\(report.output)")
        }
    }

    @Test("Apple's library refuses forged and misaddressed objects")
    func refusals() throws {
        let store = try SampleStore.make("anna")
        try store.perform(.buy("pro.monthly", by: "anna", options: PurchaseRequest()))
        var items: [AppleLibrary.Item] = []
        for failure in [SimulatedFailure.invalidSignature, .invalidCertificateChain, .invalidEncoding] {
            try store.perform(.setSetting(.simulatedError(failure, api: .verification)))
            let jws = try #require(try store.evidence(of: "anna").first)
            items.append(
                AppleLibrary.Item("\(failure)", .transaction, .sandbox, jws, refusedAs: "VERIFICATION_FAILURE"))
        }
        try store.perform(.setSetting(.simulatedError(nil, api: .verification)))
        let jws = try #require(try store.evidence(of: "anna").first)
        items.append(
            AppleLibrary.Item("sandbox at production", .transaction, .production, jws, refusedAs: "INVALID_ENVIRONMENT")
        )
        let report = try AppleLibrary.read(items, of: store)
        #expect(report.status == 0, "\(report.errors)")
        #expect(report.output.contains("refused as they must be: 4"), "\(report.output)")
        // This checks that the comparison finds a difference if there is one.
        items[0].refusedAs = nil
        #expect(try AppleLibrary.read(items, of: store).status == 1)
    }

    /// Returns a store in which every event that causes a notification has happened.
    private static func life(in environment: AppStore.Environment) throws -> SimulatedAppStore {
        let store = try SampleStore.make("anna", "bert", "cleo", environment: environment)
        let pro = TransactionReference.latest("pro.monthly", of: "anna")
        let basic = TransactionReference.latest("basic.monthly", of: "anna")
        func buy(_ product: Product.ID, by customer: CustomerID = "anna", _ request: PurchaseRequest) throws {
            try store.perform(.buy(product, by: customer, options: request))
        }
        func perform(_ commands: SimulatorCommand...) throws {
            for command in commands { try store.perform(command) }
        }
        try perform(.createFamily(organizer: "anna"), .joinFamily("bert", of: "anna"))
        try perform(.setSetting(.billingGracePeriod(.days16)))
        let token = PurchaseRequest(appAccountToken: SampleStore.device)
        for product: Product.ID in ["coins.100", "remove.ads", "season.pass"] { try buy(product, token) }
        // A trial, renewals, a pending price, an offer, a downgrade that is chosen and withdrawn, and an upgrade.
        try buy("basic.monthly", token)
        try perform(.setAutoRenew(false, of: basic), .setAutoRenew(true, of: basic))
        try perform(.changePlan(to: "basic.weekly", by: "anna", billingPlan: nil))
        try perform(.changePlan(to: "basic.monthly", by: "anna", billingPlan: nil))
        try store.advance(byDays: 100)
        try perform(.applyOffer(OfferReference(.promotional, id: "loyal"), of: basic))
        try perform(.changePrice(of: "basic.monthly", to: 30_000, consent: .required))
        try perform(.answerPriceConsent(true, of: basic))
        try buy("pro.monthly", PurchaseRequest())
        try perform(.extendRenewalDates(of: "pro.monthly", days: 3, reason: 1, storefronts: ["USA"], requestID: "r-1"))
        try perform(.extendRenewalDate(of: pro, days: 3, reason: 0))
        try perform(.extendRenewalDates(of: "pro.monthly", days: 3, reason: 1, storefronts: [], requestID: "r-2"))
        try buy("basic.monthly", PurchaseRequest(offer: OfferReference(.promotional, id: "loyal")))
        try store.advance(byDays: 60)
        try buy("pro.monthly", PurchaseRequest(offer: OfferReference(.promotional, id: "loyal")))
        try perform(.requestTestNotification)
        // Failed payments in the grace period and after it, a recovery, billing retry to its end, and a win-back offer.
        try perform(.setPaymentsFail(true, of: "anna"))
        try store.advance(byDays: 70)
        try perform(.resolveIssue(pro), .setPaymentsFail(true, of: "anna"), .setSetting(.billingGracePeriod(nil)))
        try store.advance(byDays: 120)
        try perform(.setPaymentsFail(false, of: "anna"))
        try buy("pro.monthly", PurchaseRequest(offer: OfferReference(.winBack, id: "back")))
        // Lapses for each reason.
        try perform(.setAutoRenew(false, of: pro))
        try store.advance(byDays: 100)
        try buy("pro.monthly", PurchaseRequest())
        try perform(.changePrice(of: "pro.monthly", to: 40_000, consent: .required))
        try store.advance(byDays: 40)
        try buy("pro.monthly", PurchaseRequest())
        try perform(.setForSale(false, product: "pro.monthly"))
        try store.advance(byDays: 40)
        try perform(.setForSale(true, product: "pro.monthly"))
        // Advanced Commerce: items with an offer and a price increase, changed and migrated.
        let items =
            #"{"SKU":"a","displayName":"A","description":"An item","price":4990,"offer":{"period":"P1M","#
            + #""periodCount":2,"price":990,"reason":"RETENTION"},"priceIncreaseInfo":{"price":5990,"status":"SCHEDULED","#
            + #""dependentSKUs":["b"]},"refunds":[{"refundAmount":1,"refundDate":1767225600000,"refundReason":"LEGAL","#
            + #""refundType":"CUSTOM"}]},{"SKU":"b","price":1,"revocationDate":1767225600000}"#
        let info =
            #"{"descriptors":{"displayName":"D","description":"E"},"items":[\#(items)],"taxCode":"S021-07-1","#
            + #""taxRate":"0.2","estimatedTax":1,"taxExclusivePrice":2,"period":"P1M","consistencyToken":"t","#
            + #""requestReferenceId":"7f3c2a10-1111-4222-8333-444455556666"}"#
        try buy("pro.monthly", PurchaseRequest())
        for change in AdvancedCommerceChange.allCases where change != .refund {
            try perform(.setAdvancedCommerce(info, of: pro, change: change))
        }
        try store.advance(byDays: 40)
        // Refunds that are requested, declined, granted and reversed, a refund of a part of a consumable, and the end
        // of an assignment.
        try buy("pro.monthly", PurchaseRequest())
        try perform(.setSetting(.grantsRefundRequests(false)), .requestRefund(pro, reason: .legal), .declineRefund(pro))
        try perform(.refund(pro, percentage: 50_000, reason: .developerIssue), .reverseRefund(pro))
        try perform(.refund(.latest("coins.100", of: "anna"), percentage: 33_333, reason: .other))
        try perform(.refund(.latest("remove.ads", of: "anna"), percentage: nil, reason: .other))
        try perform(.setStorefront("DEU", of: "cleo"))
        try buy("pro.yearly", by: "cleo", PurchaseRequest(billingPlan: .monthly))
        try store.advance(byDays: 40)
        try perform(.revokeAssignment(.latest("pro.yearly", of: "cleo")))
        return store
    }
}

/// Apple's library, run by a script of this repository.
enum AppleLibrary {
    struct Item {
        let name: String
        let kind: EvidenceKind
        let environment: AppStore.Environment
        let jws: String
        var refusedAs: String?

        init(
            _ name: String, _ kind: EvidenceKind, _ environment: AppStore.Environment, _ jws: String,
            refusedAs: String? = nil
        ) {
            self.name = name
            self.kind = kind
            self.environment = environment
            self.jws = jws
            self.refusedAs = refusedAs
        }
    }

    struct Report {
        let status: Int32
        let output: String
        let errors: String
    }

    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    private static let python = root.appending(path: ".build/apple-library/bin/python").path

    static let isWanted =
        ProcessInfo.processInfo.environment["STOREKEEPER_APPLE_LIBRARY"] == "required"
        || FileManager.default.fileExists(atPath: root.appending(path: ".build/apple-library/version").path)

    /// Verifies the signed data of a store with the library.
    static func read(_ items: [Item], of store: SimulatedAppStore) throws -> Report {
        let app = try #require(store.read { $0.apps.first })
        let document = JSONText.object([
            "root": .string(Data(store.root.der).base64EncodedString()),
            "bundleId": .string(app.bundleID),
            "appAppleId": .integer(app.appleID),
            "items": .array(
                items.map { item in
                    .object([
                        "name": .string(item.name), "kind": .string(item.kind.rawValue), "jws": .string(item.jws),
                        "environment": .string(item.environment.rawValue), "refusedAs": .text(item.refusedAs),
                    ])
                }),
        ])
        let folder = FileManager.default.temporaryDirectory.appending(path: "storekeeper-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "signed.json")
        try Data(document.bytes()).write(to: file)
        // The output goes to files, because a full pipe that is not read blocks the program.
        let (output, errors) = (folder.appending(path: "out"), folder.appending(path: "err"))
        try Data().write(to: output)
        try Data().write(to: errors)
        let process = Process()
        process.executableURL = URL(filePath: python)
        process.arguments = [root.appending(path: "Scripts/verify-with-apple-library.py").path, file.path]
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
        process.waitUntilExit()
        return Report(
            status: process.terminationStatus, output: String(decoding: try Data(contentsOf: output), as: UTF8.self),
            errors: String(decoding: try Data(contentsOf: errors).prefix(2000), as: UTF8.self))
    }
}
