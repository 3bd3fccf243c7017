import Storekeeper
import StorekeeperPages
import StorekeeperSimulator

/// The table of transactions, its filters and the inspector.
struct TransactionsContent {
    /// The head of a column.
    struct Column {
        let name: String
        let columnTitle: String
        let address: String
        /// As ARIA has it: `ascending`, `descending`, or nothing.
        let sorting: String?
        let arrow: String
    }

    struct Row {
        let id: String
        /// The last digits, which tell transactions apart.
        let shortID: String
        let address: String
        let isSelected: Bool
        let product: String
        let customer: String
        let stateWord: String
        let mark: String
        let purchased: String
        let expires: String
        let notes: [String]
        /// The answers to a question that the customer is asked.
        let consents: [ActForm]
    }

    let columns: [Column]
    let rows: [Row]
    let count: Int
    let total: Int
    let isFiltered: Bool
    let paging: PageContent.Paging?
    let clearAddress: String
    /// The parts of the address that the form of filters keeps.
    let kept: [ActForm.Hidden]
    let product: String
    let products: [String]
    let states: [PageContent.Choice]
    let from: String
    let until: String
    let complaint: String?
    let buying: ActForm?
    let acts: [ActForm]
    let areActsOpen: Bool
    let customer: CustomerFacts?
    let inspector: InspectorContent?

    /// What is known of the customer whom the page is about.
    struct CustomerFacts {
        let name: String
        let facts: [Fact]
    }
}

/// A name and what stands beside it.
struct Fact {
    let factName: String
    let factValue: String
    var hint: String?
    var link: String?
}

/// All of one transaction.
struct InspectorContent {
    let id: String
    let stateWord: String
    let mark: String
    let product: String
    let facts: [Fact]
    /// The nearest things to do, which need no more than a button.
    let near: [ActForm]
    /// All that can be done.
    let acts: [ActForm]
    let areActsOpen: Bool
    let payloads: [PayloadContent]
    let closeAddress: String
    let answersAddress: String
}

/// A signed document, decoded and as it was signed.
struct PayloadContent {
    let payloadTitle: String
    let payloadID: String
    let claims: [Fact]
    let json: String
    let jws: String
    /// Whether it is the first of several, which one sees at once.
    let isOpen: Bool

    /// Decodes a compact JWS; what cannot be decoded has no claims.
    init(_ title: String, id: String, jws: String, isOpen: Bool = false) {
        self.isOpen = isOpen
        payloadTitle = title
        payloadID = id
        self.jws = jws
        let root = CompactJWS(jws)?.payloadContent.flatMap { try? JSONReader().read($0).root }
        json = root.map { JSONText.value($0).text(.pretty) } ?? ""
        claims = root.map { Self.facts(of: $0, path: "") } ?? []
    }

    /// The members of a payload, those of objects in it with the path to them; what is signed inside is left to its own.
    private static func facts(of value: JSONValue, path: String) -> [Fact] {
        guard let object = value.object else { return [] }
        return object.flatMap { member -> [Fact] in
            let name = path + member.name
            if member.value.object != nil { return facts(of: member.value, path: name + ".") }
            let text = member.value.string ?? String(decoding: member.value.sourceText, as: UTF8.self)
            if text.utf8.count > 400, text.hasPrefix("ey") {
                return [Fact(factName: name, factValue: "(signed, see below)")]
            }
            let instant =
                member.name.hasSuffix("Date") ? member.value.int64.flatMap { Instant(millisecondsSince1970: $0) } : nil
            return [Fact(factName: name, factValue: text, hint: instant?.brief)]
        }.sorted { $0.factName < $1.factName }
    }

    /// The signed texts inside of a payload, by their names.
    static func inner(of jws: String) -> [(name: String, jws: String)] {
        guard let root = CompactJWS(jws)?.payloadContent.flatMap({ try? JSONReader().read($0).root }) else { return [] }
        return ["signedTransactionInfo", "signedRenewalInfo"].compactMap { name in
            root.object?["data"]?.object?[name]?.string.map { (name, $0) }
        }
    }
}

extension TransactionSummary.State {
    /// A sign that tells the state without colour.
    var mark: String {
        switch self {
        case .purchased: "●"
        case .grace: "◐"
        case .retry: "◔"
        case .expired: "○"
        case .refunded: "↩"
        case .revoked: "⊘"
        case .upgraded: "↑"
        case .pending: "…"
        case .interrupted: "‖"
        case .failed: "✕"
        case .declined: "⊖"
        }
    }
}
