import FoundationEssentials
import Storekeeper

/// Reads steps one after the other.
///
/// A step can use the names that earlier steps have given to purchases.
struct StepReader {
    let apps: [SimulatedApp]
    private var people: ScenarioPeople
    /// Whether all catalogs were read without errors.
    ///
    /// If `false`, a product that is not in the catalogs is not reported as an error.
    let knowsProducts: Bool
    /// Whether all people were read without errors.
    ///
    /// If `false`, an unknown person is not reported as an error.
    let knowsPeople: Bool
    private var names: Set<String> = []
    /// The names of balances that earlier steps have credited.
    private var granted: Set<Balance.ID>

    init(
        apps: [SimulatedApp], people: ScenarioPeople, names: Set<String> = [], granted: Set<Balance.ID> = [],
        knowsProducts: Bool = true, knowsPeople: Bool = true
    ) {
        self.apps = apps
        self.people = people
        self.names = names
        self.granted = granted
        self.knowsProducts = knowsProducts
        self.knowsPeople = knowsPeople
    }

    /// Reads a step, which is either a map whose first key is the keyword of the step, such as `buy`, or the keyword
    /// alone.
    ///
    /// - Returns: The step; `nil` if the step has errors, all of which are added to the list of mistakes.
    mutating func step(_ node: ScenarioNode) -> ScenarioStep? {
        let before = node.mistakes.count
        let step = node.attempt { () throws(ScenarioError) in try read(node) }
        return node.mistakes.count == before ? step : nil
    }

    private mutating func read(_ node: ScenarioNode) throws(ScenarioError) -> ScenarioStep {
        var pairs: [(key: ScenarioNode, word: String, value: ScenarioNode)] = []
        if !node.isMapping {
            pairs = [(node, try node.text("step"), node.emptied)]
        } else {
            pairs = try node.pairs("a step")
        }
        guard let first = pairs.first else { throw node.error("the step is empty", "write a word such as 'buy:'") }
        guard let kind = StepKind.named(first.word) else {
            addName(pairs.first { $0.word == "as" }?.value)
            throw first.key.error(
                "there is no step '\(first.word)'",
                NearestWord.advice(for: first.word, among: StepKind.all.map(\.name)))
        }
        var members: [String: ScenarioNode] = [:]
        for pair in pairs.dropFirst() {
            let known = kind.keys + StepKind.commonKeys
            guard known.contains(pair.word) else {
                pair.key.addMistake(
                    "'\(kind.name)' has no key '\(pair.word)'", NearestWord.advice(for: pair.word, among: known))
                continue
            }
            if !pair.value.isEmpty { members[pair.word] = pair.value }
        }
        var draft = StepDraft(
            word: kind.name, key: first.key, value: first.value, members: members, apps: apps, people: people,
            names: names, granted: granted, knowsProducts: knowsProducts, knowsPeople: knowsPeople)
        draft.bundleID = draft.text("app")
        if let id = draft.bundleID, knowsProducts, !apps.contains(where: { $0.bundleID == id }) {
            (members["app"] ?? node).addMistake(
                "there is no app '\(id)'", NearestWord.advice(for: id, among: apps.map(\.bundleID)))
            draft.knowsProducts = false
        }
        let error = draft.text("error")
        if let error, let node = members["error"] {
            let known = SimulatorError.Code.allCases.map(\.rawValue) + Self.balanceErrors
            if !known.contains(error) {
                node.addMistake("there is no error '\(error)'", NearestWord.advice(for: error, among: known))
            }
            draft.isChecked = false
        }
        let outcome = draft.text("outcome")
        if let outcome, let node = members["outcome"] { check(outcome: outcome, at: node) }
        addName(members["as"])
        // Later steps may name a person whom this step creates, even if this step has other errors.
        if kind.subject == .newPerson, let name = first.value.scalarText {
            people.add(CollectionOfOne(CustomerID(rawValue: name)))
        }
        let action = try kind.read(draft)
        if case .grant(_, let balance, _, _) = action { granted.insert(balance) }
        return ScenarioStep(
            action, text: draft.text(pairs), line: first.key.line, app: draft.bundleID,
            name: draft.text("as"), outcome: outcome, error: error)
    }

    /// The error codes with which a change of a balance, or of granted access, can be refused.
    static let balanceErrors = ["insufficient", "frozen", "keyReused", "unknownGrant"]

    private mutating func addName(_ node: ScenarioNode?) {
        guard let node, let name = node.attempt({ () throws(ScenarioError) in try node.text("as") }) else { return }
        if Int(name) != nil || name.isEmpty {
            node.addMistake("'\(name)' is not a valid name for a transaction", "begin it with a letter")
        }
        names.insert(name)
    }

    /// The possible results of a purchase.
    static let outcomes = ["purchased", "alreadyOwned", "pending", "cancelled", "failed", "nothing"]

    /// The error codes with which a purchase can fail.
    static let purchaseErrors: [String] = [
        PurchaseError.Code.invalidQuantity, .invalidOptions, .productUnavailable, .purchaseNotAllowed,
        .ineligibleForOffer, .invalidOfferIdentifier, .invalidOfferPrice, .invalidOfferSignature,
        .missingOfferParameters, .inProgress, .failedVerification, .networkError, .systemError, .unknown,
        .notAvailableInStorefront, .notEntitled, .unsupported,
    ].map(\.rawValue)

    /// The words that may follow a result of a purchase.
    static func furtherOutcomes(_ outcome: String) -> [String] {
        switch outcome {
        case "pending": ["askToBuy", "bankApproval"]
        case "failed": purchaseErrors
        default: []
        }
    }

    private func check(outcome: String, at node: ScenarioNode) {
        let words = outcome.split(separator: " ").map(String.init)
        guard let first = words.first, Self.outcomes.contains(first) else {
            node.addMistake(
                "'\(outcome)' is not an outcome of a purchase",
                NearestWord.advice(for: words.first ?? "", among: Self.outcomes))
            return
        }
        let seconds = Self.furtherOutcomes(first)
        if words.count > 2 || words.count == 2 && !seconds.contains(words[1]) {
            node.addMistake(
                "'\(outcome)' is not an outcome of a purchase",
                seconds.isEmpty
                    ? "write '\(first)' alone" : NearestWord.advice(for: words.dropFirst().joined(), among: seconds))
        }
    }
}

/// A step that is being read.
///
/// If a value in the step has an error, the error is added to the list of mistakes, and reading continues with a
/// placeholder for the value. The placeholder is never used, because a step with errors is discarded.
struct StepDraft {
    let word: String
    let key: ScenarioNode
    let value: ScenarioNode
    let members: [String: ScenarioNode]
    let apps: [SimulatedApp]
    let people: ScenarioPeople
    let names: Set<String>
    let granted: Set<Balance.ID>
    var knowsProducts: Bool
    let knowsPeople: Bool
    var bundleID: String?
    /// Whether the products and people that the step names must exist; `false` if the step expects an error.
    var isChecked = true

    /// Returns the text of the step in one line.
    func text(_ pairs: [(key: ScenarioNode, word: String, value: ScenarioNode)]) -> String {
        pairs.map { pair in
            let words = pair.value.words
            return words.isEmpty ? pair.word : "\(pair.word) \(words)"
        }.joined(separator: " ")
    }

    // MARK: References

    var catalog: Catalog {
        (bundleID.map { id in apps.first { $0.bundleID == id } } ?? apps.first)?.catalog ?? .empty
    }

    /// Returns the person whom one of the keys `by`, `for` and `of` names; if no key is present, the only person of the
    /// scenario.
    func person() -> CustomerID {
        for key in StepKind.personKeys {
            if let node = members[key] { return person(node, key) }
        }
        return onlyPerson()
    }

    /// Returns the person whom the value of the keyword names; without a value, the only person of the scenario.
    func subjectPerson() -> CustomerID { value.isEmpty ? onlyPerson() : person(value, word) }

    private func onlyPerson() -> CustomerID {
        if let only = people.only { return only }
        if knowsPeople {
            key.addMistake("'\(word)' does not name a person", people.count == 0 ? "add 'people:'" : "add 'by:'")
        }
        return ""
    }

    func person(_ node: ScenarioNode, _ key: String) -> CustomerID {
        guard let text = node.attempt({ () throws(ScenarioError) in try node.text(key) }) else { return "" }
        let name = CustomerID(rawValue: text)
        if isChecked, knowsPeople, !people.contains(name) {
            // Finding the most similar name among a very large number of names would take too long.
            let names = people.first(1_000).map(\.rawValue)
            node.addMistake("there is no person '\(name)'", NearestWord.advice(for: text, among: names))
        }
        return name
    }

    func product() -> Product.ID {
        guard !value.isEmpty else {
            key.addMistake("'\(word)' names no product", "write its id after it")
            return ""
        }
        guard let text = value.attempt({ () throws(ScenarioError) in try value.text(word) }) else { return "" }
        let id = Product.ID(text)
        if isChecked, knowsProducts, catalog.product(id) == nil {
            value.addMistake(
                "the catalog has no product '\(id)'",
                NearestWord.advice(for: text, among: catalog.products.map(\.id.rawValue)))
        }
        return id
    }

    /// Adds an error if neither a catalog nor an earlier step credits a balance, because the balance would always be
    /// zero.
    func check(balance name: Balance.ID, at node: ScenarioNode) {
        guard isChecked, knowsProducts else { return }
        let counted = catalog.products.filter { ($0.type ?? .consumable) == .consumable }
        let known = granted.union(counted.flatMap { catalog.grants(of: $0.id).keys })
        guard !known.contains(name) else { return }
        node.addMistake(
            "there is no balance '\(name)'",
            NearestWord.advice(for: name.rawValue, among: known.sorted().map(\.rawValue)))
    }

    /// Returns the transaction to which the step refers.
    ///
    /// The step refers to the transaction by the name that an earlier step gave to the purchase, by `transaction ID`,
    /// or by a product and a person.
    func subject() -> TransactionReference {
        guard !value.isEmpty else {
            key.addMistake("'\(word)' names no purchase", "write a product or a name after it")
            return .id("")
        }
        return subject(value)
    }

    /// Returns the transaction to which a value refers.
    func subject(_ node: ScenarioNode) -> TransactionReference {
        guard let text = node.attempt({ () throws(ScenarioError) in try node.text(word) }) else { return .id("") }
        if let id = text.rest(after: "transaction "), !id.isEmpty { return .id(Transaction.ID(rawValue: id)) }
        if names.contains(text) { return .id(Transaction.ID(rawValue: text)) }
        if isChecked, knowsProducts, catalog.product(Product.ID(text)) == nil {
            node.addMistake(
                "'\(text)' is neither a product nor the name of a purchase",
                NearestWord.advice(for: text, among: names.sorted() + catalog.products.map(\.id.rawValue)))
            return .id("")
        }
        return .latest(Product.ID(text), of: person())
    }

    // MARK: Parts

    /// Reads the value of a key; `nil` if the step lacks the key, or if the value is invalid.
    func read<Value>(_ key: String, _ body: (ScenarioNode) throws(ScenarioError) -> Value) -> Value? {
        guard let node = members[key] else { return nil }
        return node.attempt { () throws(ScenarioError) in try body(node) }
    }

    /// Reads the value of a key; `nil` if the step lacks the key, or if the value is invalid.
    ///
    /// A step that lacks a required key has an error.
    subscript<Value>(parameter: StepKey<Value>) -> Value? {
        if parameter.need == .always, members[parameter.name] == nil {
            key.mistakes.add(absence(of: parameter.name))
        }
        return read(parameter.name) { node throws(ScenarioError) in try parameter.read(node, self) }
    }

    /// Returns the value of a key without which the step cannot be read further.
    func needed<Value>(_ key: StepKey<Value>) throws(ScenarioError) -> Value {
        guard let value = self[key] else { throw absence(of: key.name) }
        return value
    }

    /// The error of a step that lacks a required key.
    func absence(of name: String) -> ScenarioError { key.error("'\(word)' has no '\(name)'", "add '\(name):'") }

    /// Reads the text of a key.
    func text(_ key: String) -> String? {
        read(key) { node throws(ScenarioError) in try node.text(key) }
    }

    static func uuid(_ node: ScenarioNode) throws(ScenarioError) -> UUID? {
        let text = try node.text("token")
        if text == "none" { return nil }
        guard let uuid = UUID(uuidString: text) else {
            throw node.error("'\(text)' is not a UUID", "write one, or 'none'")
        }
        return uuid
    }

    /// Returns a storefront's country code.
    ///
    /// If the step expects an error, any text is allowed.
    func country(_ node: ScenarioNode) throws(ScenarioError) -> String {
        isChecked ? try ScenarioSettings.country(node) : try node.text("storefront")
    }

    /// Returns the product or feature to which access is granted.
    func accessSubject() throws(ScenarioError) -> AccessGrant.Subject {
        let name = try value.text(word)
        if catalog.feature(Feature.ID(name)) != nil { return .feature(Feature.ID(name)) }
        guard isChecked, knowsProducts, catalog.product(Product.ID(name)) == nil else {
            return .product(Product.ID(name))
        }
        let known = catalog.products.map(\.id.rawValue) + catalog.features.map(\.id.rawValue)
        throw value.error("there is no product or feature '\(name)'", NearestWord.advice(for: name, among: known))
    }

    /// Reads a number and a balance, such as `40 coins`.
    func amount() throws(ScenarioError) -> (Int64, Balance.ID) {
        let words = try value.text(word).split(separator: " ", maxSplits: 1)
        guard words.count == 2, let number = Int64(words[0]), number > 0 else {
            throw value.error("'\(word)' requires a number above 0 and a balance", "write it like '\(word): 40 coins'")
        }
        return (number, Balance.ID(String(words[1])))
    }
}
