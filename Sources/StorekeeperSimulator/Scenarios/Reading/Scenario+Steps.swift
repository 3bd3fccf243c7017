extension Scenario {
    /// Reads steps in the syntax of scenario files, such as the text that ``text(of:)`` returns.
    ///
    /// The steps may name people who are not in the scenario.
    ///
    /// - Throws: ``ScenarioError`` with all mistakes.
    package func steps(reading text: String) throws(ScenarioError) -> [ScenarioStep] {
        guard !text.isEmpty else { return [] }
        let root = try ScenarioNode.root(of: "steps:\n" + text, file: file)
        var reader = StepReader(apps: apps, people: ScenarioPeople([]), knowsPeople: false)
        var steps: [ScenarioStep] = []
        for node in try root.pairs("the steps").first?.value.elements ?? [] {
            if let step = reader.step(node) { steps.append(step) }
        }
        if let error = root.mistakes.error { throw error }
        return steps
    }
}
