import Storekeeper

extension StepKind.Key {
    static let days = StepKey<Int>.whole("days", 1...90, isBounded: false).required()
    /// Apple's code for the reason of a renewal date extension: 0 undeclared, 1 customer satisfaction, 2 other,
    /// 3 service issue or outage.
    static let extensionReason = StepKey<Int>.whole("reason", label: "reason (Apple's number)", 0...3, isBounded: false)
    static let request = StepKey<String>.text("request", label: "request id", .text(placeholder: "spring-outage"))
    static let storefronts = StepKey<Set<String>>(
        "storefronts", label: "countries", .text(placeholder: "USA, DEU"),
        schema: ScenarioSchema.oneOrList(ScenarioSchema.reference("country")), isList: true
    ) { node, step in
        Set(
            node.elements.compactMap { node in
                node.attempt { () throws(ScenarioError) in try step.country(node) }
            })
    } write: {
        .list($0.sorted())
    }
    static let price = StepKey<Int64>(
        "to", label: "price", .text(placeholder: "5.99"), schema: ScenarioSchema.reference("price")
    ) { node, _ throws(ScenarioError) in
        try node.thousandths("to")
    } write: {
        .text(ScenarioWriter.decimal($0))
    }.required()
    static let consent = StepKey<PriceConsent>.word("consent")
    static let appliedOffer = offer.required()
    static let answer = StepKey<Bool>.flag("answer", label: "agrees")
}

extension StepKind {
    /// The steps about running subscriptions, their prices and their sale.
    static let ofSubscriptions: [StepKind] = [
        StepKind(
            "cancel", .purchase, "turns auto-renewal off",
            form: .purchase(rank: 2, near: 9) { $1 == true && !$0.transaction.isFamilyShared }
        ) {
            .setAutoRenew(false, of: $0.subject())
        } writes: {
            if case .setAutoRenew(false, let it) = $0 { .of(it) } else { nil }
        },
        StepKind(
            "resume", .purchase, "turns auto-renewal on",
            form: .purchase(rank: 2, near: 10) { $1 == false && !$0.transaction.isFamilyShared }
        ) {
            .setAutoRenew(true, of: $0.subject())
        } writes: {
            if case .setAutoRenew(true, let it) = $0 { .of(it) } else { nil }
        },
        StepKind(
            "change plan", .product(.subscriptions), "changes to another product of the group", [Key.billing],
            form: .product()
        ) {
            let plan = $0[Key.billing]
            return .changePlan(to: $0.product(), by: $0.person(), billingPlan: plan)
        } writes: {
            if case .changePlan(let id, let name, let plan) = $0 {
                .product(id, by: name, Key.billing(plan))
            } else {
                nil
            }
        },
        StepKind(
            "apply offer", .purchase, "applies an offer to an active subscription", [Key.appliedOffer],
            form: .purchase(rank: 2) { $1 != nil && !$0.transaction.isFamilyShared }
        ) {
            .applyOffer($0[Key.appliedOffer] ?? OfferReference(.introductory), of: $0.subject())
        } writes: {
            if case .applyOffer(let offer, let it) = $0 { .of(it, Key.appliedOffer(offer)) } else { nil }
        },
        StepKind(
            "force renewal", .product(.subscriptions), "ends the period now and tries to renew",
            form: .product(near: 11)
        ) {
            .forceRenewal(of: $0.product(), by: $0.person())
        } writes: {
            if case .forceRenewal(let id, let name) = $0 { .product(id, by: name) } else { nil }
        },
        StepKind(
            "expire", .product(.subscriptions), "ends the period now, without renewal", form: .product(near: 12)
        ) {
            .expire($0.product(), by: $0.person())
        } writes: {
            if case .expire(let id, let name) = $0 { .product(id, by: name) } else { nil }
        },
        StepKind(
            "fail billing", .person, "makes payments fail from now on", form: .customer { !$0.paymentsFail }
        ) {
            .setPaymentsFail(true, of: $0.subjectPerson())
        } writes: {
            if case .setPaymentsFail(true, let name) = $0 { .person(name) } else { nil }
        },
        StepKind("fix billing", .person, "makes payments succeed again", form: .customer { $0.paymentsFail }) {
            .setPaymentsFail(false, of: $0.subjectPerson())
        } writes: {
            if case .setPaymentsFail(false, let name) = $0 { .person(name) } else { nil }
        },
        StepKind(
            "retry billing", .purchase, "retries a failed renewal now",
            form: .purchase(rank: 2, near: 3) { item, _ in
                [.grace, .retry].contains(item.transaction.state) && !item.transaction.isFamilyShared
            }
        ) {
            .retryBilling(of: $0.subject())
        } writes: {
            if case .retryBilling(let it) = $0 { .of(it) } else { nil }
        },
        StepKind(
            "extend", .purchase, "extends a period", [Key.days, Key.extensionReason, Key.request],
            form: .purchase(rank: 2) { $1 != nil }
        ) {
            .extendRenewalDate(
                of: $0.subject(), days: $0[Key.days] ?? 1, reason: $0[Key.extensionReason] ?? 0,
                requestID: $0[Key.request])
        } writes: {
            if case .extendRenewalDate(let it, let days, let reason, let request) = $0 {
                .of(it, Key.days(days), Key.extensionReason(reason), Key.request(request))
            } else {
                nil
            }
        },
        StepKind(
            "extend all", .soldProduct(.subscriptions), "extends the periods of all subscribers",
            [Key.days, Key.extensionReason, Key.storefronts, Key.request], form: .store(rank: 1)
        ) {
            .extendRenewalDates(
                of: $0.product(), days: $0[Key.days] ?? 1, reason: $0[Key.extensionReason] ?? 0,
                storefronts: $0[Key.storefronts] ?? [], requestID: $0[Key.request] ?? "request-\($0.key.line)")
        } writes: {
            if case .extendRenewalDates(let id, let days, let reason, let storefronts, let request) = $0 {
                .product(
                    id, Key.days(days), Key.extensionReason(reason), Key.request(request),
                    Key.storefronts(storefronts.isEmpty ? nil : storefronts))
            } else {
                nil
            }
        },
        StepKind(
            "price", .soldProduct(), "changes a price", [Key.price, Key.consent, Key.billing],
            form: .store(title: "Change a price")
        ) {
            let (consent, price, plan) = ($0[Key.consent], $0[Key.price], $0[Key.billing])
            return .changePrice(
                of: $0.product(), to: price ?? 0, consent: consent ?? .automatic, billingPlan: plan)
        } writes: {
            if case .changePrice(let id, let price, let consent, let plan) = $0 {
                .product(id, Key.price(price), Key.consent(consent), Key.billing(plan))
            } else {
                nil
            }
        },
        StepKind(
            "ask consent", .purchase, "asks for consent to a price increase",
            form: .purchase(rank: 2) { $1 != nil && !$0.transaction.isFamilyShared }
        ) {
            .requestPriceConsent($0.subject())
        } writes: {
            if case .requestPriceConsent(let it) = $0 { .of(it) } else { nil }
        },
        StepKind(
            "consent", .purchase, "answers the price consent request", [Key.answer],
            form: .purchase(rank: 2) { item, _ in item.transaction.awaitsPriceConsent }
        ) {
            .answerPriceConsent($0[Key.answer] ?? true, of: $0.subject())
        } writes: {
            if case .answerPriceConsent(let agrees, let it) = $0 { .of(it, Key.answer(agrees)) } else { nil }
        },
        StepKind("remove from sale", .soldProduct(), "removes a product from sale", form: .store()) {
            .setForSale(false, product: $0.product())
        } writes: {
            if case .setForSale(false, let id) = $0 { .product(id) } else { nil }
        },
        StepKind("put on sale", .soldProduct(), "offers a product for sale again", form: .store()) {
            .setForSale(true, product: $0.product())
        } writes: {
            if case .setForSale(true, let id) = $0 { .product(id) } else { nil }
        },
    ]
}
