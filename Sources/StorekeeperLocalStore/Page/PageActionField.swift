import Storekeeper
import StorekeeperSimulator

/// A field in the form of an action, for one YAML key of the step, such as `by`.
struct PageActionField: Sendable {
    /// The HTML control of a field.
    enum Control: Sendable {
        /// A text field; `list` is the name of its list of suggestions, if it has one.
        case text(placeholder: String, list: String?)
        case number(from: Int, to: Int)
        /// A list of values to choose from; if no value is chosen, the App Store's default applies.
        case choice([String])
        /// A list of customers to choose from.
        case person
    }

    /// The YAML key of the step.
    let key: String
    /// The label of the field.
    let label: String
    let control: Control
    /// Whether the step must have the key.
    let isRequired: Bool

    private init(_ key: String, _ label: String, _ control: Control, isRequired: Bool = false) {
        (self.key, self.label, self.control, self.isRequired) = (key, label, control, isRequired)
    }

    /// The keys that name the owner of a purchase; the page fills in the values of these keys.
    static let personKeys = ["by", "for", "of"]

    /// Creates the field for a YAML key of a step; `nil` for a key that the page fills in.
    init?(key: String, of word: String) {
        switch (key, word) {
        case ("of", "join family"): self.init(key, "the family of", .person, isRequired: true)
        case ("by", _), ("for", _), ("of", _): return nil
        case ("to", "price"):
            self.init(key, "price", .text(placeholder: "5.99", list: nil), isRequired: true)
        case ("to", "storefront"):
            self.init(key, "country", .text(placeholder: "DEU", list: "countries"), isRequired: true)
        case ("to", "token"): self.init(key, "account token", Self.token, isRequired: true)
        case ("token", _): self.init(key, "account token", Self.token)
        case ("quantity", _): self.init(key, key, .number(from: 1, to: 10))
        case ("offer", "apply offer"): self.init(key, key, Self.offer, isRequired: true)
        case ("how", _): self.init(key, key, .text(placeholder: "500", list: "manners"), isRequired: false)
        case ("times", _): self.init(key, "times", .number(from: 1, to: 1_000_000))
        case ("span", _): self.init(key, "for how long", .text(placeholder: "5 seconds", list: nil))
        case ("offer", _): self.init(key, key, Self.offer)
        case ("code", _): self.init(key, "offer code", .text(placeholder: "its name", list: "codes"), isRequired: true)
        case ("introductory", _): self.init(key, "introductory offer", Self.flag)
        case ("ask to buy", _), ("renews", _), ("cancelled", _): self.init(key, key, Self.flag)
        case ("answer", _): self.init(key, "agrees", Self.flag)
        case ("billing", _): self.init(key, key, .choice(["up front", "monthly"]))
        case ("date", _): self.init(key, "bought at", .text(placeholder: "2025-12-01", list: nil))
        case ("days", _): self.init(key, key, .number(from: 1, to: 90), isRequired: true)
        case ("reason", "refund"): self.init(key, key, .choice(["other", "developerIssue"]))
        case ("reason", "request refund"):
            self.init(key, key, .choice(RefundRequestReason.allCases.map { "\($0)" }))
        case ("reason", _): self.init(key, "reason (Apple's number)", .number(from: 0, to: 3))
        case ("percent", _): self.init(key, "per cent of the price", .text(placeholder: "100", list: nil))
        case ("consent", _): self.init(key, key, .choice(PriceConsent.allCases.map(\.rawValue)))
        case ("storefronts", _): self.init(key, "countries", .text(placeholder: "USA, DEU", list: nil))
        case ("storefront", _): self.init(key, "country", .text(placeholder: "USA", list: "countries"))
        case ("request", "claim seat"): self.init(key, "request id", Self.token)
        case ("request", _): self.init(key, "request id", .text(placeholder: "spring-outage", list: nil))
        case ("delivery", _): self.init(key, key, .choice(ServerAPI.deliveries.sorted()))
        case ("info", _):
            self.init(key, key, .text(placeholder: "{\"items\":[{\"SKU\":\"pro\"}]}", list: nil), isRequired: true)
        case ("change", _): self.init(key, key, .choice(AdvancedCommerceChange.allCases.map(\.rawValue)))
        case ("number", _): self.init(key, key, .number(from: 1, to: 100_000), isRequired: true)
        case ("invitations", _): self.init(key, key, .choice(SeatInvitations.allCases.map(\.rawValue)))
        case ("seats", _): self.init(key, "seats", .number(from: 1, to: 100_000))
        case ("claim", _): self.init(key, "id of the claim", Self.token, isRequired: true)
        case ("member", "associate seat"): self.init(key, key, .person, isRequired: true)
        case ("member", _): self.init(key, key, .person)
        case ("claims", _): self.init(key, "ids of claims", .text(placeholder: "UUIDs", list: nil), isRequired: true)
        case ("preference", _):
            self.init(key, key, .choice(ServerAPI.preferences.sorted()))
        default: self.init(key, key, .text(placeholder: "", list: nil))
        }
    }

    private static let flag = Control.choice(["yes", "no"])
    private static let token = Control.text(placeholder: "a UUID", list: nil)
    private static let offer = Control.text(placeholder: "promotional ID", list: "offers")
}
