import Storekeeper
import StorekeeperPages

/// The content of a page of the desk, on which support staff look up a customer, see what the customer owns and why,
/// and carry out actions for the customer.
struct DeskContent {
    /// A link to the same page in one of the languages.
    struct LanguageLink {
        let name: String
        let code: String
        let address: String
        let isCurrent: Bool
    }

    /// A customer whose answers have changed lately.
    struct Recent {
        let customer: String
        let address: String
        let time: String
        let what: String

        init(_ event: StoreEvent, at now: Instant, _ place: DeskPlace, _ format: DeskFormat) {
            customer = event.customer.rawValue
            address = place.ofCustomer(event.customer.rawValue).address()
            time = format.time(event.change.at, since: now)
            what = format.change(event.change)
        }
    }

    /// The result of a search that did not find exactly one customer.
    struct Result {
        let heading: String
        /// The sentences that explain what was searched, and suggest a next step.
        let advice: [String]
        let unowned: [Unowned]
        let hits: [Hit]

        /// A purchase without an owner, with a form that assigns it.
        struct Unowned {
            let sentence: String
            /// The form; `nil` if the caller may not assign the purchase.
            let form: Form?

            struct Form {
                let purchase: String
                /// The id of the form's field.
                let field: String
            }
        }

        /// A customer that was found.
        struct Hit {
            let customer: String
            let address: String
            let way: String
        }
    }

    /// The texts by their keys.
    let text: [String: String]
    let language: String
    /// The language that a link has chosen; `nil` if no link has chosen a language.
    let chosenLanguage: String?
    let languages: [LanguageLink]
    let homeAddress: String
    let webhooksAddress: String
    let isTranslated: Bool
    let app: String
    let signedIn: String
    let lastNotification: String
    /// Whether the page is marked as read-only, because the caller's key does not permit grants.
    let isReadOnly: Bool
    /// The submitted search text.
    var asked = ""
    /// The subject of the page, which is part of its title; `nil` for the start page.
    var subject: String?
    /// The reason why the page shows no customer, or why a form has changed nothing.
    var notice: String?
    /// The message that a form has changed something.
    var done: DeskConfirmation?
    var isEmpty = false
    /// The customers whose answers have changed last.
    var recent: [Recent] = []
    var result: Result?
    var page: DeskCustomer?
    var grants: DeskGrants?
    var acts: DeskActions?
    var webhooks: DeskWebhooks?

    /// Makes an empty page.
    init(
        of service: CompanionService, _ request: CompanionRequest, _ place: DeskPlace, _ format: DeskFormat,
        path: String = "/desk"
    ) {
        let texts = format.texts
        text = texts.page
        language = texts.language.rawValue
        isTranslated = texts.language != .english
        chosenLanguage = place.chosen?.rawValue
        languages = DeskLanguage.allCases.map {
            LanguageLink(
                name: $0.name, code: $0.rawValue, address: place.speaking($0).address(path),
                isCurrent: $0 == texts.language)
        }
        homeAddress = place.ofCustomer("").address()
        webhooksAddress = place.ofCustomer("").address("/desk/webhooks")
        app = service.bundleID
        signedIn = texts(.signedInAs, ["name": request.caller?.name ?? ""])
        lastNotification =
            service.state.lastNotification.map {
                texts(.lastNotification, ["time": format.time($0, since: request.now)])
            } ?? texts(.noNotification)
        isReadOnly = !(request.caller?.has(.grant) ?? false)
    }

    /// Renders the page as HTML.
    ///
    /// - Throws: An error of the template parser, which is a bug.
    func html() throws -> String { try Self.templates.page(self, "desk") }

    /// Shows a search that found several customers, or none.
    mutating func show(_ search: DeskSearch, to caller: Caller?, _ place: DeskPlace, _ format: DeskFormat) {
        let texts = format.texts
        subject = texts(.searchTitle, ["text": search.text])
        var advice: [String] = []
        if search.hits.isEmpty, search.unowned.isEmpty {
            advice.append(texts(.searchedWhat))
            switch search.orderLookup {
            case .notAsked: break
            case .impossible: advice.append(texts(.searchedNoOrders))
            case .foreign: advice.append(texts(.searchedForeign))
            case .answered: advice.append(texts(.searchedOrders))
            case .failed(let problem): advice.append(texts(.searchedOrderFailed, ["problem": problem]))
            }
            advice.append(texts(.searchAdvice))
        } else if search.hasMore {
            advice.append(texts(.searchMore))
        }
        let refusal = DeskActions.Action.claim.refusal(of: caller, texts)
        if let refusal, !search.unowned.isEmpty { advice.append(refusal) }
        let count = format.number(Int64(search.hits.count))
        result = Result(
            heading: search.hits.isEmpty && search.unowned.isEmpty
                ? texts(.searchNothing, ["text": search.text])
                : search.hits.count > 1
                    ? texts(.searchSeveral, ["count": count, "text": search.text])
                    : texts(.searchTitle, ["text": search.text]),
            advice: advice,
            unowned: search.unowned.enumerated().map { index, found in
                Result.Unowned(
                    sentence: texts(
                        found.isStored ? .searchUnowned : .searchUnstored,
                        [
                            "id": found.id.rawValue,
                            "purchase": found.purchase.map { format.purchase($0) } ?? texts(.purchaseUnread),
                        ]),
                    form: refusal == nil
                        ? Result.Unowned.Form(purchase: found.id.rawValue, field: "owner-\(index)") : nil)
            },
            hits: search.hits.map { hit in
                Result.Hit(
                    customer: hit.customer.rawValue, address: place.ofCustomer(hit.customer.rawValue).address(),
                    way: texts.word("found", hit.way.rawValue))
            })
    }

    /// The templates of the desk; ``DeskTexts`` contains their texts.
    static let ownTemplates = [
        "desk": DeskTemplate.text, "deskProducts": DeskAnswersTemplate.products,
        "deskFeatures": DeskAnswersTemplate.features, "grants": DeskGrantsTemplate.text,
        "customer": DeskTemplate.customer, "times": DeskTemplate.times, "acts": DeskTemplate.acts,
        "webhooks": DeskWebhooksTemplate.text, "refusal": DeskRefusalTemplate.text, "head": DeskTemplate.head,
    ]

    static let templates = PageTemplates(
        ownTemplates.merging(["timeline": TimelineTemplate.text]) { own, _ in own })
}
