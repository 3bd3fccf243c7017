import Storekeeper
import StorekeeperSimulator

/// Something that somebody can let happen on the page: a word of scenarios, what it is about, and the fields of its form.
///
/// The forms are all made of ``all``; a step of scenarios that is not there cannot be taken on the page.
struct Act: Sendable {
    /// Where on the page it stands.
    enum Place: Sendable {
        case clock, customer, purchase, store
    }

    /// What stands after its word.
    enum Subject: Sendable {
        case span, instant, product, person, newPerson, purchase, setting, fault, nothing
    }

    let word: ScenarioWord
    let place: Place
    let subject: Subject
    /// The fields beside the subject.
    let fields: [ActField]

    /// What its button says.
    var title: String { word.name.prefix(1).uppercased() + word.name.dropFirst() }

    /// The act of a word.
    static func named(_ word: String) -> Act? { all.first { $0.word.name == word } }

    /// All acts at a place, in the order of the page.
    static func all(at place: Place) -> [Act] { all.filter { $0.place == place } }

    /// The words that only a story with an engine can have.
    static let wordsOfEngines = [
        "spend", "grant", "expect", "expect signed", "notifications", "happened", "events",
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
                "share purchases", "stop sharing purchases", "storefront", "clear",
            ]
        ),
        (
            .purchase, .purchase,
            [
                "approve", "decline", "resolve issue", "finish", "request refund", "refund", "decline refund",
                "reverse refund", "cancel", "resume", "apply offer", "retry billing", "extend", "ask consent",
                "consent", "consumption", "token", "revoke assignment", "delete",
            ]
        ),
        (.store, .nothing, ["test notification"]),
        (.store, .product, ["price", "remove from sale", "put on sale", "extend all"]),
        (.store, .newPerson, ["new person"]), (.store, .fault, ["fault"]), (.store, .setting, ["set"]),
        (.store, .nothing, ["reset settings"]),
    ]

    /// All of them.
    static let all: [Act] = places.flatMap { place, subject, words in
        words.compactMap { name in
            ScenarioWord.named(name).map { word in
                Act(
                    word: word, place: place, subject: subject,
                    fields: word.keys.compactMap { ActField(key: $0, of: name) })
            }
        }
    }

    /// The acts that stand beside each purchase, always all and in this order: a button that took the place of another
    /// would be pressed for it.
    static let near: [Act] = [
        "approve", "decline", "resolve issue", "retry billing", "finish", "request refund", "decline refund", "refund",
        "reverse refund", "cancel", "resume", "force renewal", "expire",
    ].compactMap(named)

    /// Whether it takes away what cannot be had back, so that it wants to be confirmed.
    var isDangerous: Bool { ["delete", "clear"].contains(word.name) }

    /// Whether it can be done with a purchase as it stands.
    ///
    /// - Parameter willRenew: Whether its subscription renews; `nil` where none of it runs.
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
