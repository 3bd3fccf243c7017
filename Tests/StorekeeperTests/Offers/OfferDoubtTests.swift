import FoundationEssentials
import Storekeeper
import StorekeeperTesting
import Testing

/// Tests that no offer is promised on evidence that is stale, incomplete or unverified.
@Suite("Offers on doubtful evidence") struct OfferDoubtTests {
    private static let gold: Product.ID = "gold.monthly"

    private static let catalog: Catalog = {
        var products = TestShop.catalog.products
        for index in products.indices where products[index].id == gold {
            products[index].subscription?.offers = [
                SubscriptionOffer(kind: .introductory, paymentMode: .freeTrial, price: 0),
                SubscriptionOffer(kind: .promotional, id: "loyal"),
                SubscriptionOffer(kind: .code, id: "NEW", eligibility: [.new]),
                SubscriptionOffer(kind: .code, id: "NOW", eligibility: [.existing]),
                SubscriptionOffer(kind: .code, id: "PAST", eligibility: [.expired]),
                SubscriptionOffer(kind: .code, id: "ALL"), SubscriptionOffer(kind: .winBack, id: "back"),
            ]
        }
        return Catalog(products: products, groups: TestShop.catalog.groups, features: [])
    }()

    private static let first = TransactionDraft.purchase(of: TestShop.gold, at: .day(0))

    /// The renewal info of a customer who cancelled and left, as the App Store signs it after the end.
    private static let left: RenewalInfoDraft = {
        var info = RenewalInfoDraft(for: first, signedAt: .day(40)).cancelled()
        info.eligibleWinBackOfferIDs = ["back"]
        return info
    }()

    private static func texts(
        _ transactions: [TransactionDraft], _ infos: [RenewalInfoDraft], at instant: Instant,
        doubt: EntitlementAnswer.UnknownReason? = nil, doubtful: Product.ID? = nil
    ) throws -> [String] {
        var history = try TestShop.history(transactions, infos)
        if let doubtful { history.markDoubtful(doubtful) }
        return EntitlementResolver(catalog: catalog).offers(in: history, at: instant, doubt: doubt).rows
            .filter { $0.productID == gold }
            .map { "\($0.offer.id?.rawValue ?? "intro"): \($0.answer.word) \($0.answer.reasonWord)" }
    }

    @Test(
        "A subscription that may have renewed leaves only the promotional offer and the code for new customers certain")
    func stale() throws {
        let expected = [
            "intro: unknown staleEvidence", "loyal: eligible formerSubscriber", "NEW: ineligible otherCustomers",
            "NOW: unknown staleEvidence", "PAST: unknown staleEvidence", "ALL: unknown staleEvidence",
            "back: unknown staleRenewalInfo",
        ]
        #expect(try Self.texts([Self.first], [], at: .day(31)) == expected)
        let renewing = RenewalInfoDraft(for: Self.first, signedAt: .day(3))
        #expect(try Self.texts([Self.first], [renewing], at: .day(50)) == expected)
    }

    @Test("A renewal that the renewal info names, and that is missing, makes every promise unknown")
    func missingRenewal() throws {
        var info = Self.left
        info.renewsAt = .day(62)
        #expect(
            try Self.texts([Self.first], [info], at: .day(50)) == [
                "intro: unknown staleEvidence", "loyal: eligible formerSubscriber", "NEW: ineligible otherCustomers",
                "NOW: unknown staleEvidence", "PAST: unknown staleEvidence", "ALL: unknown staleEvidence",
                "back: unknown staleEvidence",
            ])
    }

    @Test("Evidence from after the end is certain")
    func fresh() throws {
        #expect(
            try Self.texts([Self.first], [Self.left], at: .day(50)) == [
                "intro: eligible formerSubscriber", "loyal: eligible formerSubscriber",
                "NEW: ineligible otherCustomers", "NOW: ineligible otherCustomers", "PAST: eligible formerSubscriber",
                "ALL: eligible formerSubscriber", "back: eligible formerSubscriber",
            ])
    }

    @Test("A stale copy that the family shares may be service, but is no past of the customer")
    func staleFamilyCopy() throws {
        let texts = try Self.texts([Self.first.owned(as: .familyShared)], [], at: .day(50))
        #expect(texts.first == "intro: unknown staleEvidence")
        #expect(texts[2] == "NEW: eligible newCustomer" && texts[1] == "loyal: ineligible neverSubscribed")
    }

    @Test("An offer that was used stays used, whatever is missing")
    func used() throws {
        let trial = with(Self.first) {
            $0.offerType = .introductory
            $0.offerPaymentMode = .freeTrial
        }
        #expect(try Self.texts([trial], [], at: .day(50)).first == "intro: ineligible alreadyUsed")
        #expect(try Self.texts([trial], [], at: .day(50), doubt: .neverSynced).first == "intro: ineligible alreadyUsed")
    }

    @Test(
        "A purchase that may be missing makes every promise to a former subscriber unknown, but the promotional offer",
        arguments: ["neverSynced", "unverified"])
    func incomplete(reason: String) throws {
        let texts = try Self.texts(
            [Self.first], [Self.left], at: .day(50), doubt: reason == "neverSynced" ? .neverSynced : nil,
            doubtful: reason == "unverified" ? "silver.monthly" : nil)
        #expect(
            texts == [
                "intro: unknown \(reason)", "loyal: eligible formerSubscriber", "NEW: ineligible otherCustomers",
                "NOW: unknown \(reason)", "PAST: unknown \(reason)", "ALL: unknown \(reason)",
                "back: unknown \(reason)",
            ])
    }
}
