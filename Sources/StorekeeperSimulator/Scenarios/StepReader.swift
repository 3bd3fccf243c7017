import FoundationEssentials
import Storekeeper

/// Reads steps, one after the other, and knows what those before have named.
struct StepReader {
    let apps: [SimulatedApp]
    var people: [CustomerID]
    private var names: Set<String> = []

    init(apps: [SimulatedApp], people: [CustomerID], names: Set<String> = []) {
        self.apps = apps
        self.people = people
        self.names = names
    }

    /// Reads a step: a mapping whose first key is its word, or the word alone.
    mutating func step(_ node: ScenarioNode) throws(ScenarioError) -> ScenarioStep {
        var pairs: [(key: ScenarioNode, word: String, value: ScenarioNode)] = []
        if !node.isMapping {
            pairs = [(node, try node.text("step"), node.emptied)]
        } else {
            pairs = try node.pairs("a step")
        }
        guard let first = pairs.first else { throw node.error("the step is empty", "write a word such as 'buy:'") }
        guard let word = ScenarioWord.named(first.word) else {
            throw first.key.error(
                "there is no step '\(first.word)'",
                NearestWord.advice(for: first.word, among: ScenarioWord.all.map(\.name)))
        }
        var members: [String: ScenarioNode] = [:]
        for pair in pairs.dropFirst() {
            let known = word.keys + ScenarioWord.commonKeys
            guard known.contains(pair.word) else {
                throw pair.key.error(
                    "'\(word.name)' has no key '\(pair.word)'", NearestWord.advice(for: pair.word, among: known))
            }
            if !pair.value.isEmpty { members[pair.word] = pair.value }
        }
        var draft = StepDraft(
            word: word.name, key: first.key, value: first.value, members: members, apps: apps, people: people,
            names: names)
        draft.bundleID = try members["app"]?.text("app")
        if let id = draft.bundleID, !apps.contains(where: { $0.bundleID == id }) {
            throw (members["app"] ?? node).error(
                "no app is called '\(id)'", NearestWord.advice(for: id, among: apps.map(\.bundleID)))
        }
        let error = try members["error"]?.text("error")
        if let error, let node = members["error"] {
            let known = SimulatorError.Code.allCases.map(\.rawValue) + ["insufficient", "frozen", "keyReused"]
            guard known.contains(error) else {
                throw node.error("there is no error '\(error)'", NearestWord.advice(for: error, among: known))
            }
            draft.isChecked = false
        }
        let action = try draft.action()
        if case .perform(let commands) = action {
            for case .createAccount(let name, _) in commands where !people.contains(name) { people.append(name) }
        }
        let name = try members["as"]?.text("as")
        if let name, let node = members["as"] {
            guard Int(name) == nil, !name.isEmpty else {
                throw node.error("'\(name)' is no name for a transaction", "begin it with a letter")
            }
            names.insert(name)
        }
        return ScenarioStep(
            action, text: draft.text(pairs), line: first.key.line, app: draft.bundleID, name: name,
            outcome: try members["outcome"]?.text("outcome"), error: error)
    }
}

/// A step that is being read.
struct StepDraft {
    let word: String
    let key: ScenarioNode
    let value: ScenarioNode
    let members: [String: ScenarioNode]
    let apps: [SimulatedApp]
    let people: [CustomerID]
    let names: Set<String>
    var bundleID: String?
    /// Whether names have to be known; not where an error is expected.
    var isChecked = true

    /// The step in one line.
    func text(_ pairs: [(key: ScenarioNode, word: String, value: ScenarioNode)]) -> String {
        pairs.map { pair in
            let words = pair.value.words
            return words.isEmpty ? pair.word : "\(pair.word) \(words)"
        }.joined(separator: " ")
    }

    // MARK: What is meant

    private var app: SimulatedApp? { bundleID.map { id in apps.first { $0.bundleID == id } } ?? apps.first }

    /// Whoever a key names, or the only person there is.
    func person(_ keys: [String] = ["by", "for", "of"]) throws(ScenarioError) -> CustomerID {
        for key in keys {
            if let node = members[key] { return try person(node, key) }
        }
        return try onlyPerson()
    }

    /// Whoever the word's own value names, or the only person there is.
    func subjectPerson() throws(ScenarioError) -> CustomerID {
        value.isEmpty ? try onlyPerson() : try person(value, word)
    }

    private func onlyPerson() throws(ScenarioError) -> CustomerID {
        guard let only = people.first, people.count == 1 else {
            throw key.error("'\(word)' does not say who", people.isEmpty ? "add 'people:'" : "add 'by:'")
        }
        return only
    }

    func person(_ node: ScenarioNode, _ key: String) throws(ScenarioError) -> CustomerID {
        let name = CustomerID(rawValue: try node.text(key))
        guard !isChecked || people.contains(name) else {
            throw node.error(
                "nobody is called '\(name)'",
                NearestWord.advice(for: name.rawValue, among: people.map(\.rawValue)))
        }
        return name
    }

    func product() throws(ScenarioError) -> Product.ID {
        guard !value.isEmpty else { throw key.error("'\(word)' names no product", "write its id after it") }
        let id = try value.text(word)
        let catalog = app?.catalog ?? .empty
        guard !isChecked || catalog.product(id) != nil else {
            throw value.error(
                "the catalog has no product '\(id)'",
                NearestWord.advice(for: id, among: catalog.products.map(\.id)))
        }
        return id
    }

    /// The transaction that is meant: a name of an earlier step, `transaction ID`, or a product of a person.
    func subject() throws(ScenarioError) -> TransactionReference {
        guard !value.isEmpty else {
            throw key.error("'\(word)' names no purchase", "write a product or a name after it")
        }
        let text = try value.text(word)
        if let id = text.rest(after: "transaction "), !id.isEmpty { return .id(Transaction.ID(rawValue: id)) }
        if names.contains(text) { return .id(Transaction.ID(rawValue: text)) }
        let catalog = app?.catalog ?? .empty
        guard !isChecked || catalog.product(text) != nil else {
            throw value.error(
                "'\(text)' is neither a product nor the name of a purchase",
                NearestWord.advice(for: text, among: names.sorted() + catalog.products.map(\.id)))
        }
        return .latest(text, of: try person())
    }

    func required(_ key: String) throws(ScenarioError) -> ScenarioNode {
        guard let node = members[key] else { throw self.key.error("'\(word)' has no '\(key)'", "add '\(key):'") }
        return node
    }

    // MARK: Parts

    func offer(_ node: ScenarioNode) throws(ScenarioError) -> OfferReference {
        let text = try node.text("offer")
        let words = text.split(separator: " ", maxSplits: 1).map(String.init)
        guard let first = words.first, let kind = SubscriptionOffer.Kind(rawValue: first),
            words.count == 2 || kind == .introductory
        else {
            throw node.error(
                "'\(text)' is no offer", "write introductory, promotional ID, code NAME or winBack ID")
        }
        return OfferReference(kind, id: words.count == 2 ? words[1] : nil)
    }

    func uuid(_ node: ScenarioNode) throws(ScenarioError) -> UUID? {
        let text = try node.text("token")
        if text == "none" { return nil }
        guard let uuid = UUID(uuidString: text) else {
            throw node.error("'\(text)' is no UUID", "write one, or 'none'")
        }
        return uuid
    }

    func billing() throws(ScenarioError) -> BillingPlanType? {
        guard let node = members["billing"] else { return nil }
        switch try node.text("billing") {
        case "monthly": return .monthly
        case "up front": return .billedUpfront
        case let word: throw node.error("'\(word)' is no way of billing", "write 'monthly' or 'up front'")
        }
    }

    func whole(_ node: ScenarioNode, _ name: String) throws(ScenarioError) -> Int {
        Int(try node.integer(name))
    }

    func request() throws(ScenarioError) -> PurchaseRequest {
        var request = PurchaseRequest()
        if let node = members["quantity"] { request.quantity = try whole(node, "quantity") }
        if let node = members["offer"] { request.offer = try offer(node) }
        if let node = members["token"] { request.appAccountToken = try uuid(node) }
        if let node = members["introductory"] { request.introductoryEligibility = try node.flag("introductory") }
        request.billingPlan = try billing()
        if let node = members["ask to buy"] { request.asksToBuy = try node.flag("ask to buy") }
        if let node = members["date"] { request.purchaseDate = try node.instant("date") }
        if let node = members["renews"] { request.renewsUntilNow = try node.flag("renews") }
        if let node = members["cancelled"] { request.isCancelled = try node.flag("cancelled") }
        return request
    }

    /// A number and the name of a balance, such as `40 coins`.
    func amount() throws(ScenarioError) -> (Int64, String) {
        let words = try value.text(word).split(separator: " ", maxSplits: 1)
        guard words.count == 2, let number = Int64(words[0]) else {
            throw value.error("'\(word)' says no number and balance", "write it like '\(word): 40 coins'")
        }
        return (number, String(words[1]))
    }
}
