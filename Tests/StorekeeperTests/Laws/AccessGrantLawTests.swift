import Storekeeper
import StorekeeperTesting
import Testing

/// Tests that access without a purchase changes answers only while it lasts, and changes nothing else.
@Suite("Access without a purchase, by laws") struct AccessGrantLawTests {
    struct Input {
        var evidence: GeneratedEvidence
        var grants: [AccessGrant]

        var smaller: [Input] {
            grants.indices.map { index in
                var input = self
                input.grants.remove(at: index)
                return input
            } + evidence.smaller.map { Input(evidence: $0, grants: grants) }
        }

        var instants: [Instant] {
            let ends = grants.flatMap { [$0.grantedAt, $0.until, $0.endsAt] }
            let around = ends.flatMap { end in [-1, 0, 1].map { end.adding(milliseconds: $0) } }
            return Set(evidence.instantsOfInterest + around).sorted()
        }

        func resolution(with grants: [AccessGrant]) throws -> Resolution {
            EntitlementResolver(catalog: evidence.catalog).resolve(
                PurchaseHistory(items: try evidence.items()), grants: grants)
        }
    }

    static func input(_ random: inout SplitMix64) -> Input {
        let evidence = HistoryGenerator().generate(&random)
        let instants = evidence.instantsOfInterest
        let subjects =
            evidence.productIDs.map { AccessGrant.Subject.product($0) } + [.product("nowhere")]
            + evidence.catalog.features.map { .feature($0.id) }
        let grants = (0..<Int.random(in: 1...4, using: &random)).map { number in
            let start = instants.randomElement(using: &random) ?? .day(0)
            let end = start.adding(milliseconds: Int64.random(in: 1...90, using: &random) * 86_400_000)
            var grant = AccessGrant(
                id: AccessGrant.ID("grant \(number)"),
                subject: subjects.randomElement(using: &random) ?? .feature("pro"),
                grantedAt: start, until: end, reason: "a test")
            if Bool.random(using: &random) {
                let at = start.adding(milliseconds: Int64.random(in: -1...91, using: &random) * 86_400_000)
                grant.revocation = AccessGrant.Revocation(at: at, reason: "an end")
            }
            return grant
        }
        return Input(evidence: evidence, grants: grants)
    }

    private func check(_ name: String, holds: (Input) throws -> Bool) {
        checkProperty(name, cases: 120, generate: Self.input, shrink: \.smaller, holds: holds)
    }

    @Test("The engine and the model agree on products and features at all instants")
    func agreement() {
        check("engine and model agree about grants") { input in
            let model = try ReferenceModel(input.evidence, grants: input.grants)
            let resolution = try input.resolution(with: input.grants)
            let candidates = model.candidateInstants
            for instant in input.instants {
                for product in resolution.products {
                    let (found, wanted) = (
                        ReferenceAnswer(product.timeline.value(at: instant)),
                        model.answer(product: product.id, at: instant)
                    )
                    guard found == wanted else {
                        throw ReferenceLawTests.Disagreement(
                            description: "\(product.id) at \(instant): engine \(found), model \(wanted)")
                    }
                }
                for feature in resolution.features {
                    let answer = feature.timeline.value(at: instant)
                    let found = ReferenceFeatureAnswer(
                        answer: answer.answer.word, reason: answer.answer.reasonWord, by: answer.productID)
                    let wanted = model.feature(feature.id, at: instant)
                    guard found == wanted else {
                        throw ReferenceLawTests.Disagreement(
                            description: "feature \(feature.id) at \(instant): engine \(found), model \(wanted)")
                    }
                }
                guard
                    resolution.nextChange(after: instant) == model.nextChange(after: instant, candidates: candidates)
                else { throw ReferenceLawTests.Disagreement(description: "next change after \(instant)") }
            }
            return true
        }
    }

    @Test("Grants change no status, no balance, and no answer of a purchase that gives access")
    func nothingElse() {
        check("grants change neither statuses nor balances") { input in
            let (without, with) = (try input.resolution(with: []), try input.resolution(with: input.grants))
            guard with.balances == without.balances else { return false }
            return input.instants.allSatisfy { instant in
                func statuses(_ resolution: Resolution) -> [String] {
                    resolution.groups.map { group in
                        "\(group.group.id) "
                            + group.statuses(at: instant).map { DatedStatus($0, at: instant).json.text() }.joined(
                                separator: " ")
                            + " \(group.highest(at: instant).map { DatedStatus($0, at: nil, isOutline: true).json.text() } ?? "")"
                    }
                }
                return statuses(with) == statuses(without)
                    && with.currentEntitlements(at: instant).map(\.id)
                        == without.currentEntitlements(at: instant).map(\.id)
                    && without.products.allSatisfy { product in
                        let answer = product.timeline.value(at: instant)
                        return !answer.isEntitled || with.answer(for: product.id, at: instant) == answer
                    }
            }
        }
    }

    @Test("Before a grant, and after its end or revocation, the answers are as without it")
    func before() {
        check("grants leave nothing behind") { input in
            let (without, with) = (try input.resolution(with: []), try input.resolution(with: input.grants))
            return input.instants.filter { instant in !input.grants.contains { $0.isActive(at: instant) } }
                .allSatisfy { instant in
                    with.products.allSatisfy { product in
                        product.timeline.value(at: instant) == without.answer(for: product.id, at: instant) ?? .never
                    }
                        && zip(with.features, without.features).allSatisfy {
                            $0.timeline.value(at: instant).answer == $1.timeline.value(at: instant).answer
                        }
                }
        }
    }

    @Test("Evidence that arrives after grants gives the answers of a new resolution")
    func incremental() {
        check("live resolutions keep grants") { input in
            let resolver = EntitlementResolver(catalog: input.evidence.catalog)
            var live = LiveResolution(history: PurchaseHistory(), resolver: resolver, grants: input.grants)
            for item in try input.evidence.items() {
                switch item {
                case .transaction(let transaction): live.merge([.transaction(.verified(transaction))])
                case .renewalInfo(let info): live.merge([.renewalInfo(.verified(info))])
                case .notification(let notification): live.merge([.notification(.verified(notification))])
                case .appTransaction(let appTransaction): live.merge([.appTransaction(.verified(appTransaction))])
                }
            }
            return live.resolution == resolver.resolve(live.history, grants: input.grants)
        }
    }

    @Test("Every change of an answer by a grant has a step in the explanation")
    func explained() {
        check("explanations list grants") { input in
            let resolver = EntitlementResolver(catalog: input.evidence.catalog)
            let history = PurchaseHistory(items: try input.evidence.items())
            let resolution = resolver.resolve(history, grants: input.grants)
            guard let last = input.instants.last else { return true }
            for product in resolution.products {
                let steps = resolver.explain(product.id, in: history, at: last, grants: input.grants).steps
                for run in product.timeline.runs {
                    guard case .granted = run.value, let from = run.from else { continue }
                    guard steps.contains(where: { $0.at == from }) else { return false }
                }
            }
            return true
        }
    }
}
