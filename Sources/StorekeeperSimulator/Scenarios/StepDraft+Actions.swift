import FoundationEssentials
import Storekeeper

extension StepDraft {
    /// What the step does.
    func action() throws(ScenarioError) -> ScenarioStep.Action {
        switch word {
        case "advance":
            let text = try value.text(word)
            if text == "next event" { return .advanceToNextEvent }
            guard let span = ScenarioSpan(text) else {
                throw value.error("'\(text)' is no span of time", "write it like '31 days' or '2 months'")
            }
            return .advance(span)
        case "advance to": return .perform([.advance(to: try value.instant(word))])
        case "approve": return .answerGuardian(true, try subject())
        case "decline": return .answerGuardian(false, try subject())
        case "spend":
            let (number, balance) = try amount()
            return .spend(number, of: balance, by: try person(), key: try members["key"]?.text("key"))
        case "grant":
            let (number, balance) = try amount()
            return .grant(number, of: balance, to: try person(), key: try members["key"]?.text("key"))
        case "expect", "notifications", "happened", "events": return .expect(try expectations())
        case "set": return .perform(try ScenarioSettings.read(value).map { .setSetting($0) })
        default: return .perform([try command()])
        }
    }

    private func command() throws(ScenarioError) -> SimulatorCommand {
        switch word {
        case "buy": return .buy(try product(), by: try person(), options: try request())
        case "buy outside app": return .buyOutsideApp(try product(), by: try person())
        case "redeem":
            return .redeemOfferCode(try required("code").text("code"), product: try product(), by: try person())
        case "intend": return .intendPurchase(try product(), by: try person())
        case "resolve issue": return .resolveIssue(try subject())
        case "finish": return .finish(try subject())
        case "token": return .setAppAccountToken(try uuid(required("to")), of: try subject())
        case "delete": return .deleteTransaction(try subject())
        case "clear":
            return .clearTransactions(of: value.scalarText == "everyone" ? nil : try subjectPerson())
        case "cancel": return .setAutoRenew(false, of: try subject())
        case "resume": return .setAutoRenew(true, of: try subject())
        case "change plan": return .changePlan(to: try product(), by: try person(), billingPlan: try billing())
        case "apply offer": return .applyOffer(try offer(required("offer")), of: try subject())
        case "force renewal": return .forceRenewal(of: try product(), by: try person())
        case "expire": return .expire(try product(), by: try person())
        case "fail billing": return .setPaymentsFail(true, of: try subjectPerson())
        case "fix billing": return .setPaymentsFail(false, of: try subjectPerson())
        case "retry billing": return .retryBilling(of: try subject())
        default: return try peopleCommand()
        }
    }

    private func peopleCommand() throws(ScenarioError) -> SimulatorCommand {
        switch word {
        case "new person":
            return .createAccount(
                CustomerID(rawValue: try value.text(word)), storefront: try members["storefront"]?.text("storefront"))
        case "storefront": return .setStorefront(try required("to").text("to"), of: try subjectPerson())
        case "new family": return .createFamily(organizer: try subjectPerson())
        case "join family": return .joinFamily(try subjectPerson(), of: try person(required("of"), "of"))
        case "leave family": return .leaveFamily(try subjectPerson())
        case "make organizer": return .makeOrganizer(try subjectPerson())
        case "share": return .shareProduct(true, product: try product(), by: try person())
        case "stop sharing": return .shareProduct(false, product: try product(), by: try person())
        case "share purchases": return .setPurchaseSharing(true, of: try subjectPerson())
        case "stop sharing purchases": return .setPurchaseSharing(false, of: try subjectPerson())
        case "reset settings": return .resetSettings
        default: return try storeCommand()
        }
    }

    private func storeCommand() throws(ScenarioError) -> SimulatorCommand {
        switch word {
        case "extend":
            return .extendRenewalDate(of: try subject(), days: try days(), reason: try extensionReason())
        case "extend all":
            return .extendRenewalDates(
                of: try product(), days: try days(), reason: try extensionReason(),
                storefronts: Set(try members["storefronts"]?.texts("storefronts") ?? []),
                requestID: try members["request"]?.text("request") ?? "request-\(key.line)")
        case "price":
            return .changePrice(
                of: try product(), to: try required("to").thousandths("to"),
                consent: try members["consent"]?.word("consent", of: PriceConsent.self) ?? .automatic,
                billingPlan: try billing())
        case "ask consent": return .requestPriceConsent(try subject())
        case "consent": return .answerPriceConsent(try members["answer"]?.flag("answer") ?? true, of: try subject())
        case "remove from sale": return .setForSale(false, product: try product())
        case "put on sale": return .setForSale(true, product: try product())
        case "request refund":
            return .requestRefund(
                try subject(), reason: try members["reason"].map(Self.requestReason) ?? .unintendedPurchase)
        case "refund":
            return .refund(
                try subject(), percentage: try members["percent"].map(Self.share),
                reason: try members["reason"].map(Self.revocationReason) ?? .other)
        case "decline refund": return .declineRefund(try subject())
        case "reverse refund": return .reverseRefund(try subject())
        case "revoke assignment": return .revokeAssignment(try subject())
        default: throw key.error("there is no step '\(word)'", "see 'storekeeper simulate --help'")
        }
    }

    private func days() throws(ScenarioError) -> Int { try whole(required("days"), "days") }

    /// Apple's numbers: 0 undeclared, 1 customer satisfaction, 2 other, 3 service issue or outage.
    private func extensionReason() throws(ScenarioError) -> Int {
        try members["reason"].map { node throws(ScenarioError) in try whole(node, "reason") } ?? 0
    }

    private static func share(_ node: ScenarioNode) throws(ScenarioError) -> Int {
        let share = try node.thousandths("percent")
        guard (1...100_000).contains(share) else {
            throw node.error("a share of \(try node.text("percent")) per cent is out of bounds", "write 0.001 to 100")
        }
        return Int(share)
    }

    private static func requestReason(_ node: ScenarioNode) throws(ScenarioError) -> RefundRequestReason {
        let text = try node.text("reason")
        let all = RefundRequestReason.allCases
        guard let reason = all.first(where: { "\($0)" == text || $0.rawValue == text }) else {
            throw node.error("'\(text)' is no reason", NearestWord.advice(for: text, among: all.map { "\($0)" }))
        }
        return reason
    }

    private static func revocationReason(_ node: ScenarioNode) throws(ScenarioError) -> RevocationReason {
        let text = try node.text("reason")
        switch text {
        case "other": return .other
        case "developerIssue": return .developerIssue
        default:
            guard let number = Int64(text) else {
                throw node.error("'\(text)' is no reason", "write other, developerIssue or a number")
            }
            return RevocationReason(rawValue: number)
        }
    }
}
