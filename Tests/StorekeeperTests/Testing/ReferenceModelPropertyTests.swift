import Storekeeper
import StorekeeperTesting
import Testing

@Suite("The reference model on generated histories")
struct ReferenceModelPropertyTests {
    private var everything: ReferencePolicy {
        var policy = ReferencePolicy()
        policy.environments = [.production, .sandbox, .xcode]
        policy.renewalLeeway = 86_400_000
        return policy
    }

    /// Returns everything that the model answers at an instant.
    private func answers(_ model: ReferenceModel, at instant: Instant) -> [String] {
        let features: [Feature.ID] = ["feature.0", "feature.1"]
        var answers = model.productIDs.map { "\(model.answer(product: $0, at: instant))" }
        answers += features.map { "\(model.feature($0, at: instant))" }
        answers += model.statuses(at: instant).map { "\($0)" }
        answers += model.groupIDs.map { "\(String(describing: model.highest(group: $0, at: instant)))" }
        answers += model.consumables(at: instant).map { "\($0)" }
        return answers
    }

    @Test("Every answer and state occurs")
    func reach() throws {
        var words: Set<String> = []
        var states: Set<String> = []
        for seed in 0..<150 {
            var random = SplitMix64(seed: UInt64(seed))
            let model = try ReferenceModel(HistoryGenerator().generate(&random), policy: everything)
            for instant in model.candidateInstants {
                for product in model.productIDs {
                    let answer = model.answer(product: product, at: instant)
                    words.insert("\(answer.answer)/\(answer.reason)")
                }
                for status in model.statuses(at: instant) { states.insert("\(status.state) \(status.entitled)") }
            }
        }
        #expect(
            words == [
                "entitled/active", "entitled/gracePeriod", "entitled/owned", "entitled/renewalLeeway",
                "lapsed/expired", "lapsed/billingRetry", "lapsed/refunded", "lapsed/familySharingEnded",
                "lapsed/assignmentEnded", "lapsed/upgraded", "lapsed/movedToBundle", "never/noPurchase",
                "unknown/conflictingType",
                "unknown/unverified",
            ])
        let expected: Set = [
            "subscribed true", "subscribed false", "inGracePeriod true", "inBillingRetryPeriod false",
            "expired true", "expired false", "revoked false",
        ]
        #expect(states.isSuperset(of: expected))
    }

    @Test("Answers change only at candidate instants")
    func candidatesAreComplete() {
        checkProperty(
            "answers change at candidate instants only", cases: 30, generate: HistoryGenerator().generate,
            shrink: \.smaller
        ) { evidence in
            let model = try ReferenceModel(evidence, policy: everything)
            let candidates = model.candidateInstants
            for (position, candidate) in candidates.enumerated() {
                let next = candidates.indices.contains(position + 1) ? candidates[position + 1] : .distantFuture
                let last = next.adding(milliseconds: -1)
                guard answers(model, at: candidate) == answers(model, at: last) else { return false }
            }
            return true
        }
    }

    @Test("The order and repetition of evidence change nothing")
    func order() {
        checkProperty(
            "order and doubling change nothing", cases: 30, generate: HistoryGenerator().generate, shrink: \.smaller
        ) { evidence in
            var other = evidence
            other.transactions = (evidence.transactions + evidence.transactions.prefix(2)).reversed()
            other.renewalInfos = (evidence.renewalInfos + evidence.renewalInfos.prefix(1)).reversed()
            let model = try ReferenceModel(evidence, policy: everything)
            let otherModel = try ReferenceModel(other, policy: everything)
            return model.candidateInstants.allSatisfy { answers(model, at: $0) == answers(otherModel, at: $0) }
        }
    }

    @Test("A run contains its instant, and the answer changes at both of its ends")
    func runs() {
        checkProperty(
            "runs are as long as possible", cases: 10, generate: HistoryGenerator().generate, shrink: \.smaller
        ) { evidence in
            let model = try ReferenceModel(evidence, policy: everything)
            let candidates = model.candidateInstants
            for product in model.productIDs {
                func words(_ instant: Instant) -> [String] {
                    let answer = model.answer(product: product, at: instant)
                    return [answer.answer, answer.reason]
                }
                for instant in candidates {
                    let run = model.run(product: product, at: instant, candidates: candidates)
                    let here = words(instant)
                    if let since = run.since {
                        guard since <= instant, words(since) == here,
                            words(since.adding(milliseconds: -1)) != here
                        else { return false }
                    } else if words(.distantPast) != here {
                        return false
                    }
                    if let until = run.until {
                        guard instant < until, words(until) != here, words(until.adding(milliseconds: -1)) == here
                        else { return false }
                    } else if words(.distantFuture) != here {
                        return false
                    }
                }
            }
            return true
        }
    }

    @Test("The highest status that gives access has the best level")
    func highest() {
        checkProperty(
            "no entitled status has a better level than the highest", cases: 100,
            generate: HistoryGenerator().generate, shrink: \.smaller
        ) { evidence in
            let model = try ReferenceModel(evidence, policy: everything)
            return model.candidateInstants.allSatisfy { instant in
                let statuses = model.statuses(at: instant)
                return model.groupIDs.allSatisfy { group in
                    let entitled = statuses.filter { $0.groupID == group && $0.entitled }
                    guard let highest = model.highest(group: group, at: instant) else {
                        return !statuses.contains { $0.groupID == group }
                    }
                    return entitled.isEmpty
                        || (highest.entitled
                            && entitled.allSatisfy { ($0.groupLevel ?? .max) >= (highest.groupLevel ?? .max) })
                }
            }
        }
    }
}
