import Storekeeper

extension ScenarioNode {
    /// Returns the values of a map by key; adds an error for each unknown key, and ignores keys without a value.
    func members(_ name: String, among known: [String]) throws(ScenarioError) -> [String: ScenarioNode] {
        var members: [String: ScenarioNode] = [:]
        for pair in try pairs(name) {
            guard known.contains(pair.word) else {
                pair.key.addMistake(
                    "\(name) has no key '\(pair.word)'", NearestWord.advice(for: pair.word, among: known))
                continue
            }
            if !pair.value.isEmpty { members[pair.word] = pair.value }
        }
        return members
    }

    func instant(_ name: String) throws(ScenarioError) -> Instant {
        let text = try text(name)
        guard let instant = Instant(text) else {
            throw error("'\(text)' is not a valid time", "write it like 2026-03-01T09:30:00Z or 2026-03-01")
        }
        return instant
    }

    func word<Value: RawRepresentable & CaseIterable>(
        _ name: String, of type: Value.Type
    ) throws(ScenarioError) -> Value where Value.RawValue == String {
        let text = try text(name)
        guard let value = Value(rawValue: text) else {
            throw error(
                "'\(text)' is not a valid value of '\(name)'",
                NearestWord.advice(for: text, among: Value.allCases.map(\.rawValue)))
        }
        return value
    }

    /// Returns a decimal number in thousandths, such as 12990 for `12.99`.
    func thousandths(_ name: String) throws(ScenarioError) -> Int64 {
        let text = try text(name)
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let fraction = parts.count == 2 ? parts[1] : ""
        guard let whole = parts.first, (1...12).contains(whole.utf8.count), fraction.utf8.count <= 3,
            parts.count == 1 || !fraction.isEmpty, (whole + fraction).utf8.allSatisfy({ (48...57).contains($0) }),
            let value = Int64(whole + fraction + String(repeating: "0", count: 3 - fraction.utf8.count))
        else { throw error("'\(text)' is not a number with at most three decimals", "write it like 12.99") }
        return value
    }

    /// Returns an error about this node, which names an invalid catalog; the message contains the position in the
    /// catalog's file.
    func error(_ error: CatalogError) -> ScenarioError {
        let place = error.location.map { " (\(error.file), \($0))" } ?? ""
        return self.error("'\(error.file)' is not a valid catalog: \(error.message)\(place)", error.remedy)
    }
}
