import StorekeeperTesting
import Testing

@testable import Storekeeper

/// Tests of the changes of answers that evidence and time cause.
struct AnswerChangesTests {
    private func words(_ drafts: [StoreEvent.Change]) -> [String] {
        drafts.map { draft in
            let subject =
                switch draft.subject {
                case .product(let id): id.rawValue
                case .feature(let id): "feature \(id)"
                case .group(let id): "group \(id)"
                case .notification(let kind): kind.rawValue
                }
            return
                "\(subject): \(draft.before.word) \(draft.before.reasonWord) > \(draft.after.word) \(draft.after.reasonWord)"
        }
    }

    @Test("A purchase changes its product, features and group at once, and a lapse does at its exact end")
    func purchaseAndLapse() throws {
        let gold = TransactionDraft.purchase(of: TestShop.gold, at: .day(0), id: "7")
        let end = try #require(gold.expiresAt)
        let (old, new) = (try TestShop.resolution([]), try TestShop.resolution([gold]))
        let learned = AnswerChanges.learned(from: old, to: new, at: .day(1))
        #expect(
            words(learned) == [
                "gold.monthly: never noPurchase > entitled active",
                "feature ad-free: never noPurchase > entitled active",
                "feature pro: never noPurchase > entitled active",
                "group membership: never notEntitled > subscribed entitled",
            ])
        #expect(learned.allSatisfy { $0.at == .day(1) && $0.after.until == end && $0.after.transactionID == "7" })
        let causedByTime = AnswerChanges.causedByTime(in: new, after: .day(1), through: .day(400))
        #expect(causedByTime.allSatisfy { $0.at == end && $0.before.until == end })
        #expect(
            words(causedByTime) == [
                "gold.monthly: entitled active > lapsed expired",
                "feature ad-free: entitled active > lapsed expired",
                "feature pro: entitled active > lapsed expired",
                "group membership: subscribed entitled > expired notEntitled",
            ])
        #expect(AnswerChanges.causedByTime(in: new, after: .day(1), through: end.adding(milliseconds: -1)).isEmpty)
        #expect(AnswerChanges.causedByTime(in: new, after: end, through: .day(400)).isEmpty)
    }

    @Test("A renewal changes no answer")
    func renewal() throws {
        let gold = TransactionDraft.purchase(of: TestShop.gold, at: .day(0))
        let renewed = TransactionDraft.renewal(of: gold)
        let (old, new) = (try TestShop.resolution([gold]), try TestShop.resolution([gold, renewed]))
        #expect(AnswerChanges.learned(from: old, to: new, at: .day(20)).isEmpty)
        #expect(AnswerChanges.causedByTime(in: new, after: .day(1), through: try #require(gold.expiresAt)).isEmpty)
    }

    @Test("A future purchase is announced when it starts, as a change from never")
    func futurePurchase() throws {
        let new = try TestShop.resolution([.purchase(of: TestShop.removeAds, at: .day(5))])
        #expect(AnswerChanges.learned(from: try TestShop.resolution([]), to: new, at: .day(1)).isEmpty)
        let causedByTime = AnswerChanges.causedByTime(in: new, after: .day(1), through: .day(5))
        #expect(
            words(causedByTime) == [
                "remove.ads: never noPurchase > entitled owned", "feature ad-free: never noPurchase > entitled owned",
            ])
    }

    @Test("A group that gets its id from new evidence is compared with the group of the same products")
    func groupNamedByEvidence() throws {
        var gold = TransactionDraft.purchase(of: TestShop.gold, at: .day(0))
        let old = try TestShop.resolution([gold])
        gold.subscriptionGroupID = "21"
        let renewed = TransactionDraft.renewal(of: gold)
        let new = try TestShop.resolution([gold, renewed])
        #expect(new.group("21") != nil)
        #expect(AnswerChanges.learned(from: old, to: new, at: .day(1)).isEmpty)
    }

    @Test("Changes of an interval are the changes of its parts, however it is split")
    func splits() {
        checkProperty(
            "changes of parts are changes of the whole", cases: 40, generate: HistoryGenerator().generate,
            shrink: \.smaller
        ) { evidence in
            let resolution = try evidence.resolution()
            let instants = evidence.instantsOfInterest
            guard let first = instants.first, let last = instants.last else { return true }
            let whole = AnswerChanges.causedByTime(in: resolution, after: first, through: last)
            let parts = zip(instants, instants.dropFirst()).flatMap {
                AnswerChanges.causedByTime(in: resolution, after: $0, through: $1)
            }
            let middle = instants[instants.count / 2]
            let halves =
                AnswerChanges.causedByTime(in: resolution, after: first, through: middle)
                + AnswerChanges.causedByTime(in: resolution, after: middle, through: last)
            return whole == parts && whole == halves
        }
    }

    @Test("The changes add up to the answers at every instant")
    func agreement() {
        checkProperty(
            "changes by evidence and time lead to the answers of the timelines", cases: 25,
            generate: HistoryGenerator().generate, shrink: \.smaller
        ) { evidence in
            let items = try evidence.items()
            let instants = evidence.instantsOfInterest
            guard let first = instants.first else { return true }
            let resolver = EntitlementResolver(catalog: evidence.catalog)
            var history = PurchaseHistory()
            var resolution = resolver.resolve(history)
            var derived = DerivedAnswers()
            var reached = first
            for (index, instant) in instants.enumerated() {
                derived.add(AnswerChanges.causedByTime(in: resolution, after: reached, through: instant))
                reached = instant
                // The evidence arrives at instants spread over the whole time.
                let share = index * items.count / instants.count..<(index + 1) * items.count / instants.count
                for item in items[share] { history.take(item) }
                let next = resolver.resolve(history)
                derived.add(AnswerChanges.learned(from: resolution, to: next, at: instant))
                resolution = next
                guard derived.agree(with: resolution, at: instant) else { return false }
            }
            return true
        }
    }
}

/// The answers that a listener derives from the changes alone.
private struct DerivedAnswers {
    private var answers: [StoreEvent.Subject: StoreEvent.Answer] = [:]
    private var isConsistent = true

    mutating func add(_ changes: [StoreEvent.Change]) {
        for change in changes {
            if let known = answers[change.subject],
                (known.word, known.reasonWord) != (change.before.word, change.before.reasonWord)
            {
                isConsistent = false
            }
            answers[change.subject] = change.after
        }
    }

    func agree(with resolution: Resolution, at instant: Instant) -> Bool {
        isConsistent
            && resolution.products.allSatisfy { product in
                let answer = product.timeline.value(at: instant)
                return has(.product(product.id), answer.word, answer.reasonWord)
            }
            && resolution.features.allSatisfy { feature in
                let answer = feature.timeline.value(at: instant).answer
                return has(.feature(feature.id), answer.word, answer.reasonWord)
            }
            && resolution.groups.allSatisfy { group in
                let status = group.highest(at: instant)
                // A group may have received its id from evidence that arrived after a change of the group.
                guard answers.keys.contains(.group(group.group.id)) || status == nil else { return true }
                return has(
                    .group(group.group.id), status?.state.rawValue ?? "never",
                    status?.isEntitled == true ? "entitled" : "notEntitled")
                    && (status == nil || answers[.group(group.group.id)]?.productID == status?.transaction.productID)
            }
    }

    private func has(_ subject: StoreEvent.Subject, _ word: String, _ reason: String) -> Bool {
        guard let answer = answers[subject] else { return word == "never" }
        return answer.word == word && answer.reasonWord == reason
    }
}
