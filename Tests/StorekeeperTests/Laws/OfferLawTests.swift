import Storekeeper
import StorekeeperTesting
import Testing

@testable import StorekeeperEngine

/// Tests of properties that the answers about offers have for any evidence.
@Suite("Offers") struct OfferLawTests {
    private func check(_ name: String, holds: (GeneratedEvidence) throws -> Bool) {
        checkProperty(name, cases: 60, generate: HistoryGenerator().generate, shrink: \.smaller, holds: holds)
    }

    /// Returns a resolver with the catalog of generated evidence, and with an offer of each kind for every
    /// subscription.
    private static func resolver(_ evidence: GeneratedEvidence) -> EntitlementResolver {
        let catalog = evidence.catalog
        var products = catalog.products
        for index in products.indices {
            products[index].subscription?.offers = [
                SubscriptionOffer(kind: .introductory), SubscriptionOffer(kind: .promotional, id: "loyal"),
                SubscriptionOffer(kind: .code, id: "ALL"), SubscriptionOffer(kind: .winBack, id: "back"),
            ]
        }
        return EntitlementResolver(
            catalog: Catalog(products: products, groups: catalog.groups, features: catalog.features))
    }

    @Test("An answer holds before the instant that it names as its end, and not at that instant")
    func until() {
        check("an offer's answer changes exactly at its until") { evidence in
            let (resolver, history) = (Self.resolver(evidence), PurchaseHistory(items: try evidence.items()))
            return evidence.instantsOfInterest.prefix(6).allSatisfy { instant in
                resolver.offers(in: history, at: instant).rows.enumerated().allSatisfy { index, row in
                    guard row.offer.kind != .winBack, let until = row.until else { return true }
                    func answer(at instant: Instant) -> OfferAnswer {
                        resolver.offers(in: history, at: instant).rows[index].answer
                    }
                    return until > instant && answer(at: until) != row.answer
                        && answer(at: until.adding(milliseconds: -1)) == row.answer
                }
            }
        }
    }

    @Test("The order and the number of deliveries do not change an answer")
    func order() {
        check("offers do not depend on the order of evidence") { evidence in
            let (resolver, items) = (Self.resolver(evidence), try evidence.items())
            let (once, again) = (PurchaseHistory(items: items), PurchaseHistory(items: items.reversed() + items))
            return evidence.instantsOfInterest.prefix(8).allSatisfy { instant in
                let (left, right) = (
                    resolver.offers(in: once, at: instant), resolver.offers(in: again, at: instant)
                )
                return left.json.text() == right.json.text()
            }
        }
    }

    @Test("Introductory offers are for customers without service in the group who never had one")
    func introductory() {
        check("introductory offers agree with a naive reading of the transactions") { evidence in
            let (resolver, history) = (Self.resolver(evidence), PurchaseHistory(items: try evidence.items()))
            let resolution = resolver.resolve(history)
            let own = history.transactions.filter {
                $0.ownershipType == .purchased && resolver.policy.rule(for: $0.environment) == .grant
                    && $0.offer?.type == .introductory
            }
            return evidence.instantsOfInterest.prefix(12).allSatisfy { instant in
                resolver.offers(in: history, at: instant).groups.allSatisfy { group in
                    let isUsed = own.contains {
                        $0.purchasedAt <= instant && resolution.group(containing: $0.productID)?.id == group.id
                    }
                    let isServed = group.statuses.contains { [.subscribed, .inGracePeriod].contains($0.state) }
                    return group.introductory.isEligible == (!isUsed && !isServed)
                }
            }
        }
    }
}
