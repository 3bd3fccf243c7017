import Storekeeper

/// An explanation as the text of an issue.
struct ExplanationText {
    let explanation: Explanation
    let snapshot: StoreSnapshot

    init(_ explanation: Explanation, _ snapshot: StoreSnapshot) {
        self.explanation = explanation
        self.snapshot = snapshot
    }

    /// What the evidence says, fact by fact, what the store thinks of the evidence, and what comes next.
    var text: String { (headline + steps + worth + [next]).joined(separator: "\n") }

    private var headline: [String] {
        let decider = explanation.answer.basis.map { " by transaction \($0.transaction.id)" } ?? ""
        return [
            "By the evidence \(explanation.productID) is \(explanation.answer.inWords)\(decider) at \(explanation.at)."
        ]
    }

    private var steps: [String] {
        explanation.steps.flatMap { ["  \($0.at)  \($0.fact)", "    → \($0.effect)", "      \($0.rule)"] }
    }

    /// What makes the store answer something else than the evidence says.
    private var worth: [String] {
        let (freshness, at) = (snapshot.freshness, explanation.at)
        let judged = freshness.judged(explanation.answer, at: at)
        guard !judged.isEquivalent(to: explanation.answer) else { return [] }
        if let since = freshness.failingSince {
            return ["The store says \(judged.inWords): the App Store has not answered since \(since)."]
        }
        return ["The store says \(judged.inWords): the customer's whole history was never read; has it been synced?"]
    }

    private var next: String {
        guard let next = explanation.next else { return "Next: no known event changes this answer." }
        return "Next: \(next.answer.inWords) at \(next.at)."
    }
}

extension EntitlementAnswer {
    /// The answer and its reason.
    var inWords: String { "\(word) (\(reasonWord))" }
}
