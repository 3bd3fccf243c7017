extension EntitlementAnswer: JSONDescribed, JSONShaped {
    /// The answer as JSON, with its reason and the transaction that decides it.
    package static let shape = JSONShape<EntitlementAnswer>(
        with: outline.members { $0 }, [.member("transactionID") { $0.basis?.transaction.id }])

    /// The answer and its reason, which the JSON of every answer has.
    package static let outline = JSONShape<EntitlementAnswer>([
        .member("answer", as: wordSchema) { $0.word }, .member("reason") { $0.reasonWord },
    ])

    /// The schema of ``word``.
    package static let wordSchema = JSONSchema.words(of: Kind.self).named("AnswerWord")
}

extension Explanation.Step: JSONDescribed, JSONShaped {
    /// The step as JSON.
    package static let shape = JSONShape<Explanation.Step>(
        "ExplanationStep",
        [
            .member("at") { $0.at }, .member("fact") { $0.fact }, .member("effect") { $0.effect },
            .member("rule") { $0.rule },
        ])
}

extension Explanation: JSONDescribed, JSONShaped {
    /// The explanation as `storekeeper explain` prints it, without the diagnostics of the evidence.
    package static let shape = JSONShape<Explanation>(
        with: EntitlementAnswer.shape.members { $0.answer },
        [.member("steps") { $0.steps }, .member("next") { $0.upcoming }])
}

/// An explanation with the diagnostics of its evidence, as `storekeeper explain` prints it.
package struct DiagnosedExplanation: JSONShaped {
    package let explanation: Explanation
    /// Whether every item of the evidence was verified.
    package let isVerified: Bool
    package let diagnostics: [Diagnostic]

    package init(_ explanation: Explanation, isVerified: Bool, _ diagnostics: [Diagnostic]) {
        (self.explanation, self.isVerified, self.diagnostics) = (explanation, isVerified, diagnostics)
    }

    package static let shape = JSONShape<Self>(
        "Explanation", with: Explanation.shape.members { $0.explanation },
        [.member("verified") { $0.isVerified }, .member("diagnostics") { $0.diagnostics }])
}

extension Explanation: CustomStringConvertible {
    /// The answer, one line for each step, and the next change, as text for a person.
    public var description: String {
        let lines = steps.map { "  \($0.at): \($0.fact) → \($0.effect) [\($0.rule)]" }
        let coming = upcoming.map { "\nNext: \($0.words)." } ?? ""
        return (["\(subject.words) is \(answer) at \(at)."] + lines).joined(separator: "\n") + coming
    }
}
