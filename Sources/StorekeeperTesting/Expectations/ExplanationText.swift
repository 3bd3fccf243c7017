import Storekeeper

/// The text of an explanation in an issue.
struct ExplanationText {
    let explanation: Explanation
    let snapshot: StoreSnapshot

    init(_ explanation: Explanation, _ snapshot: StoreSnapshot) {
        self.explanation = explanation
        self.snapshot = snapshot
    }

    /// The answer according to the evidence, each fact, the store's answer if it differs from the evidence, and the
    /// next change.
    var text: String { (headline + steps + worth + [next]).joined(separator: "\n") }

    private var headline: [String] {
        let decider = explanation.answer.basis.map { " by transaction \($0.transaction.id)" } ?? ""
        return [
            "According to the evidence, \(explanation.subject.words) is \(explanation.answer.inWords)\(decider)"
                + " at \(explanation.at)."
        ]
    }

    private var steps: [String] {
        explanation.steps.flatMap { ["  \($0.at)  \($0.fact)", "    → \($0.effect)", "      \($0.rule)"] }
    }

    /// The reason why the store's answer differs from the answer of the evidence; empty if the answers are equal.
    private var worth: [String] {
        let (freshness, at) = (snapshot.freshness, explanation.at)
        let adjusted = freshness.adjusted(explanation.answer, at: at)
        guard !adjusted.isEquivalent(to: explanation.answer), let since = freshness.failingSince else { return [] }
        return ["The store says \(adjusted.inWords): the App Store has not answered since \(since)."]
    }

    private var next: String {
        explanation.upcoming.map { "Next: \($0.words)." } ?? "Next: no known event changes this answer."
    }
}

extension EntitlementAnswer {
    /// The answer and its reason.
    var inWords: String { "\(word) (\(reasonWord))" }
}
