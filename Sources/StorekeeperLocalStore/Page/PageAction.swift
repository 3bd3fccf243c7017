import Storekeeper
import StorekeeperSimulator

/// An action of the page, which performs scenario steps with one keyword, such as `buy`.
///
/// The page has a form for each action in ``all``; steps with other keywords cannot be carried out on the page.
struct PageAction: Sendable {
    /// The part of the page that shows the action.
    enum Place: Sendable {
        case clock, customer, purchase, store
    }

    /// The kind of the value that follows the action's keyword in a step.
    enum Subject: Sendable {
        case span, instant, product, person, newPerson, purchase, setting, fault, nothing
    }

    let word: ScenarioWord
    let place: Place
    let subject: Subject
    /// The fields of the form, except the field for the action's subject.
    let fields: [PageActionField]

    /// The label of the action's button.
    var title: String {
        PageTexts.actionTitles[word.name] ?? word.name.prefix(1).uppercased() + word.name.dropFirst()
    }

    /// A short description, which says `customer` where scenarios say `person`.
    var help: String { word.help.replacing("person", with: "customer").replacing("everyone", with: "all customers") }

    /// Returns the action that performs steps with a keyword; `nil` if the page has no such action.
    static func named(_ word: String) -> PageAction? { all.first { $0.word.name == word } }

    /// Returns the actions of a part of the page, in order.
    static func all(at place: Place) -> [PageAction] { all.filter { $0.place == place } }

    /// The step keywords that require an engine, which a local App Store does not have.
    static let engineWords = [
        "spend", "grant", "grant access", "revoke access", "expect", "expect receipt", "expect signed",
        "notifications", "happened", "events",
    ]

    private static let places: [(place: Place, subject: Subject, words: [String])] = [
        (.clock, .span, ["advance"]), (.clock, .instant, ["advance to"]),
        (
            .customer, .product,
            [
                "buy", "buy outside app", "redeem", "intend", "change plan", "force renewal", "expire", "share",
                "stop sharing",
            ]
        ),
        (
            .customer, .person,
            [
                "fail billing", "fix billing", "new family", "join family", "leave family", "make organizer",
                "share purchases", "stop sharing purchases", "storefront", "app transaction", "clear",
            ]
        ),
        (
            .purchase, .purchase,
            [
                "approve", "decline", "resolve issue", "finish", "request refund", "refund", "decline refund",
                "reverse refund", "cancel", "resume", "apply offer", "retry billing", "extend", "ask consent",
                "consent", "consumption", "token", "revoke assignment", "advanced commerce",
                "seats", "claim seat", "associate seat", "release seat", "unclaim seats", "delete",
            ]
        ),
        (.store, .nothing, ["test notification"]),
        (.store, .product, ["price", "remove from sale", "put on sale", "extend all"]),
        (.store, .newPerson, ["new person"]), (.store, .fault, ["fault"]), (.store, .setting, ["set"]),
        (.store, .nothing, ["reset settings"]),
    ]

    /// All actions.
    static let all: [PageAction] = places.flatMap { place, subject, words in
        words.compactMap { name in
            ScenarioWord.named(name).map { word in
                PageAction(
                    word: word, place: place, subject: subject,
                    fields: word.keys.compactMap { PageActionField(key: $0, of: name) })
            }
        }
    }

    /// The actions whose buttons are next to a purchase if they are possible, in this order.
    static let near: [PageAction] = [
        "approve", "decline", "resolve issue", "retry billing", "finish", "request refund", "decline refund", "refund",
        "reverse refund", "cancel", "resume", "force renewal", "expire",
    ].compactMap(named)

    /// Whether the action deletes data, so that the user must confirm the action.
    var isDangerous: Bool { ["delete", "clear"].contains(word.name) }

    /// Whether a button is sufficient for the action on a customer.
    var isOneClick: Bool { subject == .person && fields.isEmpty && !isDangerous }

    /// Returns whether the action applies to a customer in their present state.
    func isPossible(_ account: AccountSummary) -> Bool {
        switch word.name {
        case "fail billing": !account.paymentsFail
        case "fix billing": account.paymentsFail
        case "new family", "join family": account.family == nil
        case "leave family", "share", "stop sharing": account.family != nil
        case "make organizer": account.family.map { $0.organizer != account.name } ?? false
        case "share purchases": account.family?.sharesPurchases == false
        case "stop sharing purchases": account.family?.sharesPurchases == true
        default: true
        }
    }

    /// Returns whether the action applies to a purchase in its present state.
    ///
    /// - Parameter willRenew: Whether the subscription will renew; `nil` if the purchase has no active subscription.
    func isPossible(_ details: TransactionInspection, willRenew: Bool?) -> Bool {
        let item = details.transaction
        let isBought = item.purchasedAt != nil
        // The rest of a price can be refunded after a part of it.
        let isRefundable =
            isBought && !item.isFamilyShared
            && (item.revokedAt == nil || details.revocationPercentage.map { $0 < 100_000 } ?? false)
        return switch word.name {
        case "approve", "decline": item.state == .pending
        case "resolve issue": [.interrupted, .grace, .retry].contains(item.state) && !item.isFamilyShared
        case "retry billing": [.grace, .retry].contains(item.state) && !item.isFamilyShared
        case "finish": isBought && !item.isFinished
        case "request refund": isRefundable && !item.isRefundRequested
        case "refund": isRefundable
        case "decline refund": item.isRefundRequested
        case "reverse refund": item.state == .refunded
        case "cancel": willRenew == true && !item.isFamilyShared
        case "resume": willRenew == false && !item.isFamilyShared
        case "force renewal", "expire", "apply offer", "ask consent": willRenew != nil && !item.isFamilyShared
        case "consent": item.awaitsPriceConsent
        case "extend": willRenew != nil
        case "revoke assignment": isBought && item.revokedAt == nil
        case "delete": true
        default: isBought
        }
    }
}
