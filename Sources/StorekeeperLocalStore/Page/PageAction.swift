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

    /// The actions whose buttons are next to each purchase; all buttons are always shown, in this order.
    ///
    /// If the buttons moved, a user could press the wrong button by mistake.
    static let near: [PageAction] = [
        "approve", "decline", "resolve issue", "retry billing", "finish", "request refund", "decline refund", "refund",
        "reverse refund", "cancel", "resume", "force renewal", "expire",
    ].compactMap(named)

    /// Whether the action deletes data, so that the user must confirm the action.
    var isDangerous: Bool { ["delete", "clear"].contains(word.name) }

    /// Returns whether the action applies to a purchase in its present state.
    ///
    /// - Parameter willRenew: Whether the subscription will renew; `nil` if the purchase has no active subscription.
    func isPossible(_ item: TransactionSummary, willRenew: Bool?) -> Bool {
        switch word.name {
        case "approve", "decline": item.state == .pending
        case "resolve issue": [.interrupted, .grace, .retry].contains(item.state)
        case "retry billing": [.grace, .retry].contains(item.state)
        case "finish": item.purchasedAt != nil && !item.isFinished
        case "request refund": item.revokedAt == nil && item.purchasedAt != nil && !item.isRefundRequested
        case "refund": item.revokedAt == nil && item.purchasedAt != nil
        case "decline refund": item.isRefundRequested
        case "reverse refund": item.state == .refunded
        case "cancel": willRenew == true
        case "resume": willRenew == false
        case "force renewal", "expire": willRenew != nil && !item.isFamilyShared
        default: false
        }
    }
}
