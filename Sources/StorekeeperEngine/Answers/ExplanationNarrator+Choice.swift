extension ExplanationNarrator {
    /// The step that explains which of several purchases, requests or grants decides the answer; empty if the product
    /// has fewer than two of them.
    var choice: [RankedStep] {
        let claims = claims
        guard claims.count > 1 else { return [] }
        let winner = timeline.value(at: asked)
        var rest = claims
        if let index = rest.firstIndex(where: { $0 == winner }) { rest.remove(at: index) }
        guard let first = rest.first else { return [] }
        let next = rest.dropFirst().reduce(first) { ServiceLevel.isBetter($1, $0) ? $1 : $0 }
        let named = [winner, next].map(words(of:)).joined(separator: " and ")
        let others = claims.count - 2
        return [
            RankedStep(
                .conclusion, at: asked,
                "\(claims.count) claims to \(productID): \(named)" + (others > 0 ? ", and \(others) more" : ""),
                effect: "\(subject(of: winner)) decides", rule: ServiceLevel.rule(byWhich: winner, beats: next))
        ]
    }

    /// The answers at ``asked``: one for each chain, one-time purchase, request and grant of the product.
    private var claims: [EntitlementAnswer] {
        let product = state.resolver.catalog.product(productID)
        let purchases = OneTimePurchases(policy: state.resolver.policy)
        var sources = state.lines.flatMap { line in
            line.chain.tracks.filter { $0.productID == productID }.map(\.answers)
        }
        if let evidence = state.evidence[productID] {
            sources += purchases.nonConsumable(evidence.nonConsumables)
            sources += purchases.nonRenewing(evidence.nonRenewing, product: product)
            sources += purchases.unknownType(evidence.unknownTypes)
        }
        sources += state.pending.timelines(of: productID) + state.grants.timelines(of: .product(productID))
        return sources.map { $0.value(at: asked) }.filter { $0 != .never }
    }

    private func words(of answer: EntitlementAnswer) -> String {
        "\(subject(of: answer)) (\(answer.word), \(answer.reasonWord))"
    }

    private func subject(of answer: EntitlementAnswer) -> String {
        if case .granted(let grant) = answer { return "the grant \(grant.id)" }
        guard let transaction = answer.basis?.transaction else { return "the request" }
        return "transaction \(transaction.id)"
    }
}
