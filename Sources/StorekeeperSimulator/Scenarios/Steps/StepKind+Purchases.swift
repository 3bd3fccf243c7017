import FoundationEssentials
import Storekeeper

extension StepKind.Key {
    static let quantity = StepKey<Int>.whole("quantity", 1...10, isBounded: false)
    static let offer = StepKey<OfferReference>(
        "offer", .text(placeholder: "promotional ID", list: "offers"), schema: ScenarioSchema.reference("offer")
    ) { node, _ throws(ScenarioError) in
        try OfferReference(node)
    } write: {
        .text($0.text)
    }
    static let token = StepKey<UUID?>.token("token")
    static let newToken = StepKey<UUID?>.token("to").required()
    static let introductory = StepKey<Bool>.flag("introductory", label: "introductory offer")
    static let billing = StepKey<BillingPlanType>(
        "billing", .choice(["up front", "monthly"]), schema: ScenarioSchema.words(["monthly", "up front"])
    ) { node, _ throws(ScenarioError) in
        switch try node.text("billing") {
        case "monthly": return BillingPlanType.monthly
        case "up front": return BillingPlanType.billedUpfront
        case let word: throw node.error("'\(word)' is not a valid billing plan", "write 'monthly' or 'up front'")
        }
    } write: {
        .text($0 == .monthly ? "monthly" : "up front")
    }
    static let askToBuy = StepKey<Bool>.flag("ask to buy")
    static let date = StepKey<Instant>.instant("date", label: "bought at", placeholder: "2025-12-01")
    static let renews = StepKey<Bool>.flag("renews")
    static let cancelled = StepKey<Bool>.flag("cancelled")
    static let code = StepKey<String>.text("code", label: "offer code", .text(placeholder: "its name", list: "codes"))
        .required()
}

extension StepKind {
    /// The steps that advance time, and those about purchases.
    static let ofPurchases: [StepKind] = [
        StepKind(
            "advance", .span, "advances time by a span such as 31 days, or to the 'next event'", form: .clock
        ) { step throws(ScenarioError) in
            let text = try step.value.text(step.word)
            if text == "next event" { return .advanceToNextEvent }
            guard let span = ScenarioSpan(text) else {
                throw step.value.error("'\(text)' is not a valid duration", "write it like '31 days' or '2 months'")
            }
            guard span.isStep else {
                throw step.value.error("'\(text)' is more than 100 years", "write at most '100 years' in one step")
            }
            return .advance(span)
        } writesAction: { action, _ in
            switch action {
            case .advance(let span): .text(span.text)
            case .advanceToNextEvent: .text("next event")
            default: nil
            }
        },
        StepKind(
            "advance to", .time, "advances time to an instant; 'now' is the machine's time", form: .clock
        ) { step throws(ScenarioError) in
            if step.value.scalarText == "now" { return .advanceToNow }
            return .perform([.advance(to: try step.value.instant(step.word))])
        } writesAction: { action, _ in
            switch action {
            case .advanceToNow: return .text("now")
            case .perform(let commands):
                if case .advance(let instant)? = commands.first { return .text(instant.scenarioText) }
                return nil
            default: return nil
            }
        },
        StepKind(
            "buy", .product(), "buys in the app",
            [
                Key.quantity, Key.offer, Key.token, Key.introductory, Key.billing, Key.askToBuy, Key.date, Key.renews,
                Key.cancelled,
            ],
            form: .product()
        ) { step in
            .buy(step.product(), by: step.person(), options: PurchaseRequest(step))
        } writes: {
            guard case .buy(let id, let name, let options) = $0 else { return nil }
            return StepValues(.text(id.rawValue), [ScenarioWriter.by(name)] + options.keys)
        },
        StepKind("buy outside app", .product(), "buys on the App Store's page", form: .product()) {
            .buyOutsideApp($0.product(), by: $0.person())
        } writes: {
            if case .buyOutsideApp(let id, let name) = $0 { .product(id, by: name) } else { nil }
        },
        StepKind("redeem", .product(.withOfferCodes), "redeems an offer code", [Key.code], form: .product()) {
            .redeemOfferCode($0[Key.code] ?? "", product: $0.product(), by: $0.person())
        } writes: {
            if case .redeemOfferCode(let code, let id, let name) = $0 {
                .product(id, by: name, Key.code(code))
            } else {
                nil
            }
        },
        StepKind(
            "intend", .product(), "selects a promoted product on the App Store's page",
            form: .product(title: "Tap a promoted product")
        ) {
            .intendPurchase($0.product(), by: $0.person())
        } writes: {
            if case .intendPurchase(let id, let name) = $0 { .product(id, by: name) } else { nil }
        },
        answer("approve", true, "approves a pending purchase as the guardian", near: 0),
        answer("decline", false, "declines a pending purchase as the guardian", near: 1),
        StepKind(
            "resolve issue", .purchase, "resolves an interruption or a billing problem",
            form: .purchase(rank: 0, near: 2) { item, _ in
                [.interrupted, .grace, .retry].contains(item.transaction.state) && !item.transaction.isFamilyShared
            }
        ) {
            .resolveIssue($0.subject())
        } writes: {
            if case .resolveIssue(let it) = $0 { .of(it) } else { nil }
        },
        StepKind(
            "finish", .purchase, "finishes a transaction after its delivery",
            form: .purchase(rank: 0, near: 4) { item, _ in item.isBought && !item.transaction.isFinished }
        ) {
            .finish($0.subject())
        } writes: {
            if case .finish(let it) = $0 { .of(it) } else { nil }
        },
        StepKind(
            "token", .purchase, "sets or removes the account token", [Key.newToken],
            form: .purchase(title: "Set the account token", rank: 4)
        ) {
            .setAppAccountToken($0[Key.newToken] ?? nil, of: $0.subject())
        } writes: {
            if case .setAppAccountToken(let token, let it) = $0 { .of(it, Key.newToken(token)) } else { nil }
        },
        StepKind(
            "delete", .purchase, "deletes a transaction from the App Store",
            form: .purchase(rank: 10, isDangerous: true) { _, _ in true }
        ) {
            .deleteTransaction($0.subject())
        } writes: {
            if case .deleteTransaction(let it) = $0 { .of(it) } else { nil }
        },
        StepKind(
            "clear", .person, "deletes all transactions of a person or of everyone",
            form: .customer(rank: 3, isDangerous: true)
        ) {
            .clearTransactions(of: $0.value.scalarText == "everyone" ? nil : $0.subjectPerson())
        } writes: {
            if case .clearTransactions(let name) = $0 { .text(name?.rawValue ?? "everyone") } else { nil }
        },
    ]

    /// The step with which a guardian answers; the reference of its action may be to a product.
    private static func answer(_ name: String, _ isYes: Bool, _ help: String, near: Int) -> StepKind {
        StepKind(
            name, .purchase, help,
            form: .purchase(rank: 0, near: near) { item, _ in item.transaction.state == .pending }
        ) {
            .answerGuardian(isYes, $0.subject())
        } writesAction: { action, _ in
            if case .answerGuardian(isYes, let it) = action { .of(it) } else { nil }
        }
    }
}

extension OfferReference {
    fileprivate init(_ node: ScenarioNode) throws(ScenarioError) {
        let text = try node.text("offer")
        let words = text.split(separator: " ", maxSplits: 1).map(String.init)
        if words.count == 2, words[0] == OfferType.retention.word {
            self = .retention(SubscriptionOffer.ID(words[1]))
            return
        }
        guard let first = words.first, let kind = SubscriptionOffer.Kind(rawValue: first),
            words.count == 2 || kind == .introductory
        else {
            throw node.error(
                "'\(text)' is not a valid offer",
                "write introductory, promotional ID, code NAME, winBack ID or retention ID")
        }
        self.init(kind, id: words.count == 2 ? SubscriptionOffer.ID(words[1]) : nil)
    }

    fileprivate var text: String { ([word] + [id?.rawValue].compactMap { $0 }).joined(separator: " ") }
}

extension PurchaseRequest {
    fileprivate init(_ step: StepDraft) {
        typealias Key = StepKind.Key
        let (quantity, offer) = (step[Key.quantity], step[Key.offer])
        self.init(
            appAccountToken: step[Key.token] ?? nil, quantity: quantity ?? 1, offer: offer,
            introductoryEligibility: step[Key.introductory], billingPlan: step[Key.billing],
            asksToBuy: step[Key.askToBuy], purchaseDate: step[Key.date], renewsUntilNow: step[Key.renews] ?? true,
            isCancelled: step[Key.cancelled] ?? false)
    }

    /// The keys of the options that differ from those of a plain purchase.
    fileprivate var keys: [StepValues.Key?] {
        typealias Key = StepKind.Key
        return [
            Key.quantity(quantity == 1 ? nil : quantity), Key.offer(offer),
            appAccountToken.flatMap { Key.token($0) }, Key.introductory(introductoryEligibility),
            Key.billing(billingPlan), Key.askToBuy(asksToBuy), Key.date(purchaseDate),
            Key.renews(renewsUntilNow ? nil : false), Key.cancelled(isCancelled ? true : nil),
        ]
    }
}
