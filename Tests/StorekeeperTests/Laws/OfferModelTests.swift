import Storekeeper
import StorekeeperTesting
import Testing

@testable import StorekeeperEngine

/// Tests that the engine's answers about offers are, at every instant, the answers of a naive model of the rules.
@Suite("Agreement of the engine and the naive model about offers") struct OfferModelTests {
    /// A reason why a history may be incomplete.
    enum Gap: Sendable, CaseIterable { case none, neverSynced, unverified }

    @Test(
        "The engine and the model agree on every offer, its order, and the end of its answer",
        arguments: ReferenceLawTests.policies, Gap.allCases)
    func agreement(_ choices: ReferenceLawTests.Choices, gap: Gap) {
        checkProperty(
            "engine and model agree on offers (\(choices.testDescription), \(gap))", cases: 60,
            generate: { random in
                HistoryGenerator(mixesGroups: choices.mixesGroups).generate(&random).withOffers(&random)
            }, shrink: \.smaller
        ) { evidence in
            if let first = try Self.difference(evidence, choices, gap) {
                throw ReferenceLawTests.Disagreement(description: first)
            }
            return true
        }
    }

    /// Returns the first difference between the engine and the model as text.
    private static func difference(
        _ evidence: GeneratedEvidence, _ choices: ReferenceLawTests.Choices, _ gap: Gap
    ) throws -> String? {
        let named = gap == .unverified ? evidence.productIDs.prefix(2) : []
        let model = ReferenceModel(
            transactions: try evidence.decodedTransactions(), renewalInfos: try evidence.decodedRenewalInfos(),
            notifications: evidence.notifications, catalog: evidence.catalog, policy: choices.model,
            unverifiedProductIDs: Set(named))
        var history = PurchaseHistory(items: try evidence.items())
        for id in named { history.markDoubtful(id) }
        let resolver = EntitlementResolver(catalog: evidence.catalog, policy: choices.engine)
        let isComplete = gap != .neverSynced
        let candidates = model.candidateInstants
        for (place, instant) in evidence.instantsOfInterest(policy: choices.model).enumerated() {
            let answers = resolver.offers(in: history, at: instant, doubt: isComplete ? nil : .neverSynced)
            let rows = answers.rows.map {
                ReferenceOffer(productID: $0.productID, offer: $0.offer, answer: ReferenceOfferAnswer($0.answer))
            }
            let expected = model.offers(at: instant, isComplete: isComplete)
            guard rows.count == expected.count else { return "\(rows.count) offers, model \(expected.count)" }
            for (row, other) in zip(rows, expected) where row != other {
                return "at \(instant): engine \(text(row)), model \(text(other))"
            }
            for group in answers.groups {
                let (answer, other) = (
                    ReferenceOfferAnswer(group.introductory),
                    model.introductoryOffers(group: group.id, at: instant, isComplete: isComplete)
                )
                if answer != other {
                    return "group \(group.id) at \(instant): engine \(answer), model \(String(describing: other))"
                }
            }
            // The model needs long to find the ends of offers, so the ends are compared only at some instants.
            guard place.isMultiple(of: 17) else { continue }
            let ends = model.endsOfOffers(at: instant, isComplete: isComplete, candidates: candidates)
            for (row, end) in zip(answers.rows, ends) where row.until != end {
                return "end of \(row.productID) \(row.offer.kind) \(row.offer.id ?? "") at \(instant): "
                    + "engine \(String(describing: row.until)), model \(String(describing: end))"
            }
        }
        return nil
    }

    private static func text(_ row: ReferenceOffer) -> String {
        "\(row.productID) \(row.offer.kind) \(row.offer.id ?? "") \(row.answer.answer) \(row.answer.reason)"
    }

    @Test("Every answer and reason occurs")
    func reach() throws {
        var found: Set<String> = []
        // Among these seeds each answer occurs in several histories.
        for seed in 360..<510 {
            var random = SplitMix64(seed: UInt64(seed))
            let evidence = HistoryGenerator().generate(&random).withOffers(&random)
            let model = try ReferenceModel(evidence)
            for instant in model.candidateInstants {
                for row in model.offers(at: instant) {
                    found.insert("\(row.offer.kind) \(row.answer.answer) \(row.answer.reason)")
                }
            }
        }
        let all: Set = [
            "introductory eligible newCustomer",
            "introductory eligible formerSubscriber", "introductory ineligible alreadyUsed",
            "introductory ineligible subscribed", "promotional eligible currentSubscriber",
            "promotional eligible formerSubscriber", "promotional ineligible neverSubscribed",
            "code eligible newCustomer", "code eligible currentSubscriber", "code eligible formerSubscriber",
            "code ineligible alreadyUsed", "code ineligible downgrade", "code ineligible otherCustomers",
            "winBack eligible formerSubscriber", "winBack ineligible neverSubscribed", "winBack ineligible subscribed",
            "winBack ineligible billingRetry", "winBack ineligible revoked", "winBack ineligible autoRenews",
            "winBack ineligible neverPaid", "winBack ineligible otherProduct", "winBack ineligible switchedOff",
            "winBack ineligible notNamed", "winBack unknown staleRenewalInfo",
            "introductory unknown staleEvidence", "code unknown staleEvidence", "winBack unknown staleEvidence",
        ]
        #expect(found == all, "\(found.symmetricDifference(all).sorted())")
    }
}

extension ReferenceOfferAnswer {
    /// Converts an answer of the engine into the form of the model.
    fileprivate init(_ answer: OfferAnswer) { self.init(answer.word, answer.reasonWord) }
}
