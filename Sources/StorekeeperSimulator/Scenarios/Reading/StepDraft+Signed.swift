import Storekeeper

extension StepDraft {
    /// Reads the expectations about signed data, one for each signed document.
    func signedExpectations() throws(ScenarioError) -> [ScenarioExpectation] {
        typealias Document = ScenarioExpectation.Signed.Document
        let known = Document.allCases.map(\.rawValue)
        let documents = try value.members("what is signed", among: known)
        guard !value.isEmpty, !documents.isEmpty else {
            throw key.error("nothing is expected", "write it like 'transaction: { price: 4990 }'")
        }
        let reference = members["purchase"].map { subject($0) }
        // The step need not name the person if it refers to the purchase by name.
        let person: CustomerID? =
            if case .id? = reference { namedPerson() } else { person() }
        return Document.allCases.compactMap { document in
            guard let node = documents[document.rawValue] else { return nil }
            let before = node.mistakes.count
            let members = signedMembers(node, of: document, within: "")
            if members.isEmpty, node.mistakes.count == before {
                node.addMistake("'\(document.rawValue)' names no member", "write it like 'price: 4990'")
            }
            return .signed(
                ScenarioExpectation.Signed(document, of: reference, person: person, members: members))
        }
    }

    private func signedMembers(
        _ node: ScenarioNode, of document: ScenarioExpectation.Signed.Document, within prefix: String
    ) -> [ScenarioExpectation.Signed.Member] {
        let table = document.members
        let pairs = node.attempt { () throws(ScenarioError) in
            try node.pairs(prefix.isEmpty ? "'\(document.rawValue)'" : "'\(prefix.dropLast())'")
        }
        return (pairs ?? []).flatMap { pair -> [ScenarioExpectation.Signed.Member] in
            let name = prefix + pair.word
            guard let kind = table[name] else {
                let known = table.keys.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
                pair.key.addMistake(
                    "the App Store signs no '\(name)' in a \(document.rawValue)",
                    NearestWord.advice(for: pair.word, among: known.sorted()))
                return []
            }
            if pair.value.isMapping, kind == .object {
                return signedMembers(pair.value, of: document, within: name + ".")
            }
            let value = pair.value.attempt { () throws(ScenarioError) in
                try Self.signedValue(pair.value, name, kind)
            }
            return value.map { [ScenarioExpectation.Signed.Member(name, $0)] } ?? []
        }
    }

    private static func signedValue(
        _ node: ScenarioNode, _ name: String, _ kind: ScenarioExpectation.Signed.Document.Kind
    ) throws(ScenarioError) -> ScenarioExpectation.Signed.Value {
        if kind == .list, node.scalarText != "none", node.scalarText != "any" {
            let texts = try node.texts(name)
            // In a typed step, a list is written without brackets, such as `a,b`.
            return .list(texts.flatMap { $0.split(separator: ",").map(String.init) })
        }
        let text = try node.text(name)
        switch (text, kind) {
        case ("none", _): return .absent
        case ("any", _): return .present
        case (_, .whole): return .whole(try node.integer(name))
        case (_, .flag): return .flag(try node.flag(name))
        case (_, .date): return .time(try node.instant(name))
        case (_, .object): throw node.error("'\(name)' is an object", "write 'none', 'any' or its members")
        default: return .text(text)
        }
    }
}
