import Storekeeper
import StorekeeperPages
import StorekeeperSimulator

/// The table of transactions, its filters and the inspector.
struct TransactionsContent {
    /// The header of a table column.
    struct Column {
        let name: String
        let columnTitle: String
        /// The URL that sorts by the column.
        let columnAddress: String
        /// The value of `aria-sort`: `ascending` or `descending`; `nil` if the table is not sorted by the column.
        let sorting: String?
        let arrow: String
    }

    struct Row {
        let id: String
        /// The last digits of the id, by which a user can distinguish transactions.
        let shortID: String
        let rowAddress: String
        let isSelected: Bool
        let productName: String
        /// The product's id; `nil` if the id is already shown as the name.
        let productID: String?
        let price: String?
        let customerName: String
        let stateWord: String
        let mark: String
        /// A sentence that explains the state.
        let sentence: String
        let purchased: String
        let purchasedAgo: String
        let expires: String
        let expiresIn: String?
        var marks: [Mark]
        /// The request for the customer's consent to a higher price, which is shown before the forms that answer it.
        let question: String?
        /// The forms that answer the request for consent.
        var consents: [PageActionForm] = []
        /// The number of periods and the next renewal or end, such as `14 periods, next on 2026-02-01`.
        var fold: String?
        /// The URL that shows or hides the earlier periods.
        var foldAddress: String?
        var foldIsOpen = false
        /// Whether the row shows an earlier period of the purchase in a row above.
        var isEarlier = false
        /// The link to the earlier periods that this page leaves out because of its maximum number of rows.
        var remainder: PageContent.Link?
    }

    /// A remark about a transaction.
    struct Mark {
        /// The urgency of a remark.
        enum Tone: String { case plain, waiting, warn, bad }

        let markText: String
        let tone: String

        init(_ text: String, _ tone: Tone) { (markText, self.tone) = (text, tone.rawValue) }
    }

    let columns: [Column]
    let rows: [Row]
    /// The number of transactions and rows, such as `23 of 145 transactions, in 4 rows`.
    let summary: String
    let isFiltered: Bool
    let paging: PageContent.Paging?
    let clearAddress: String
    /// The parameters of the page's URL, which the filter form submits again as hidden fields.
    let kept: [PageActionForm.Hidden]
    let find: String
    /// The suggestions of the search field.
    let findWords: [String]
    /// Whether a filter of one column applies.
    let isFilteredExactly: Bool
    let product: String
    let states: [PageContent.Choice]
    let from: String
    let until: String
    let fromComplaint: String?
    let untilComplaint: String?
    /// The URL that switches between one row for all renewals of a purchase and one row for each period.
    let refoldAddress: String
    let isUnfolded: Bool
    let buying: PageActionForm?
    let acts: [PageActionForm]
    let areActsOpen: Bool
    let inspector: InspectorContent?
}

/// A label with its value.
struct Fact {
    let factName: String
    let factValue: String
    var hint: String?
    var link: String?
}

/// The details of a transaction.
struct InspectorContent {
    let id: String
    let stateWord: String
    let mark: String
    /// A sentence that explains the state.
    let sentence: String
    let product: String
    /// The product's id; `nil` if the id is already shown as the name.
    let secondaryID: String?
    let facts: [Fact]
    /// The links to the product, its group and the offer in the catalog.
    let places: [PageContent.Link]
    /// The possible actions that need only a button and no further fields.
    let near: [PageActionForm]
    /// All possible actions on the transaction.
    let acts: [PageActionForm]
    let areActsOpen: Bool
    let payloads: [PayloadContent]
    let closeAddress: String
    let answersAddress: String
}

/// A signed document, in its decoded form and as compact JWS.
struct PayloadContent {
    let payloadTitle: String
    let payloadID: String
    let claims: [Fact]
    let json: String
    let jws: String
    /// Whether the document is expanded; if there are several documents, only the first is expanded.
    let isOpen: Bool

    /// Decodes a compact JWS; for a text that cannot be decoded, no claims are shown.
    init(_ title: String, id: String, jws: String, isOpen: Bool = false) {
        self.isOpen = isOpen
        payloadTitle = title
        payloadID = id
        self.jws = jws
        let root = CompactJWS(jws)?.payloadContent.flatMap { try? JSONReader().read($0).root }
        json = root.map { JSONText.value($0).text(.pretty) } ?? ""
        claims = root.map { Self.facts(of: $0, path: "") } ?? []
    }

    /// Returns the members of a payload; the name of a nested member includes its path.
    ///
    /// A signed text inside the payload is replaced by a note, because the page shows the text separately.
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
            return [Fact(factName: name, factValue: text, hint: instant.map { PageTime.text($0) })]
        }.sorted { $0.factName < $1.factName }
    }

    /// Returns the signed texts inside a payload, by name.
    static func inner(of jws: String) -> [(name: String, jws: String)] {
        guard let root = CompactJWS(jws)?.payloadContent.flatMap({ try? JSONReader().read($0).root }) else { return [] }
        return ["signedTransactionInfo", "signedRenewalInfo"].compactMap { name in
            root.object?["data"]?.object?[name]?.string.map { (name, $0) }
        }
    }
}

extension TransactionSummary.State {
    /// A symbol from which users can recognize the state even if they do not see its color.
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
