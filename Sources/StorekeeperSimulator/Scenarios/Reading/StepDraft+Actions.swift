import FoundationEssentials
import Storekeeper

extension StepDraft {
    /// Returns the action that the step performs.
    func action() throws(ScenarioError) -> ScenarioStep.Action {
        switch word {
        case "advance":
            let text = try value.text(word)
            if text == "next event" { return .advanceToNextEvent }
            guard let span = ScenarioSpan(text) else {
                throw value.error("'\(text)' is not a valid duration", "write it like '31 days' or '2 months'")
            }
            guard span.isStep else {
                throw value.error("'\(text)' is more than 100 years", "write at most '100 years' in one step")
            }
            return .advance(span)
        case "advance to":
            if value.scalarText == "now" { return .advanceToNow }
            return .perform([.advance(to: try value.instant(word))])
        case "approve": return .answerGuardian(true, subject())
        case "decline": return .answerGuardian(false, subject())
        case "spend":
            let (person, key) = (person(), text("key").map { LedgerRequest.Key($0) })
            let (number, balance) = try amount()
            check(balance: balance, at: value)
            return .spend(number, of: balance, by: person, key: key)
        case "grant":
            let (person, key) = (person(), text("key").map { LedgerRequest.Key($0) })
            let (number, balance) = try amount()
            return .grant(number, of: balance, to: person, key: key)
        case "grant access":
            let (person, key) = (person(), text("key").map { AccessGrant.ID($0) })
            let end = required("until", or: .distantFuture) { node throws(ScenarioError) in try node.instant("until") }
            return .grantAccess(try accessSubject(), to: person, until: end, key: key)
        case "revoke access":
            let person = person()
            return .revokeAccess(AccessGrant.ID(try value.text(word)), of: person)
        case "expect", "expect receipt", "expect signed", "notifications", "happened", "events":
            return .expect(try expectations())
        case "set":
            let before = value.mistakes.count
            let settings = value.isEmpty ? [] : ScenarioSettings.read(value)
            if settings.isEmpty, value.mistakes.count == before {
                key.addMistake("'set' has no setting", "write it like 'grace period: 16 days'")
            }
            return .perform(settings.map { .setSetting($0) })
        default: return .perform([try command()])
        }
    }

    /// Returns the product or feature to which access is granted.
    private func accessSubject() throws(ScenarioError) -> AccessGrant.Subject {
        let name = try value.text(word)
        if catalog.feature(Feature.ID(name)) != nil { return .feature(Feature.ID(name)) }
        guard isChecked, knowsProducts, catalog.product(Product.ID(name)) == nil else {
            return .product(Product.ID(name))
        }
        let known = catalog.products.map(\.id.rawValue) + catalog.features.map(\.id.rawValue)
        throw value.error("there is no product or feature '\(name)'", NearestWord.advice(for: name, among: known))
    }

    private func command() throws(ScenarioError) -> SimulatorCommand {
        switch word {
        case "buy": return .buy(product(), by: person(), options: request())
        case "buy outside app": return .buyOutsideApp(product(), by: person())
        case "redeem":
            let code = required("code", or: "") { node throws(ScenarioError) in try node.text("code") }
            return .redeemOfferCode(code, product: product(), by: person())
        case "intend": return .intendPurchase(product(), by: person())
        case "resolve issue": return .resolveIssue(subject())
        case "finish": return .finish(subject())
        case "token":
            let token = required("to", or: nil) { node throws(ScenarioError) in try Self.uuid(node) }
            return .setAppAccountToken(token, of: subject())
        case "delete": return .deleteTransaction(subject())
        case "clear": return .clearTransactions(of: value.scalarText == "everyone" ? nil : subjectPerson())
        case "cancel": return .setAutoRenew(false, of: subject())
        case "resume": return .setAutoRenew(true, of: subject())
        case "change plan":
            let plan = read("billing") { node throws(ScenarioError) in try Self.billing(node) }
            return .changePlan(to: product(), by: person(), billingPlan: plan)
        case "apply offer":
            let offer = required("offer", or: OfferReference(.introductory)) { node throws(ScenarioError) in
                try Self.offer(node)
            }
            return .applyOffer(offer, of: subject())
        case "force renewal": return .forceRenewal(of: product(), by: person())
        case "expire": return .expire(product(), by: person())
        case "fail billing": return .setPaymentsFail(true, of: subjectPerson())
        case "fix billing": return .setPaymentsFail(false, of: subjectPerson())
        case "retry billing": return .retryBilling(of: subject())
        default: return try peopleCommand()
        }
    }

    private func peopleCommand() throws(ScenarioError) -> SimulatorCommand {
        switch word {
        case "new person":
            let storefront = read("storefront", country)
            return .createAccount(CustomerID(rawValue: try value.text(word)), storefront: storefront)
        case "storefront":
            let country = required("to", or: "", country)
            return .setStorefront(country, of: subjectPerson())
        case "app transaction":
            return .setAppTransaction(
                of: subjectPerson(),
                version: read("version") { node throws(ScenarioError) in try node.text("version") },
                purchasedAt: read("date") { node throws(ScenarioError) in try node.instant("date") },
                isRevoked: flag("revoked"))
        case "new family": return .createFamily(organizer: subjectPerson())
        case "join family":
            guard let other = members["of"] else { throw key.error("'\(word)' has no 'of'", "add 'of:'") }
            return .joinFamily(subjectPerson(), of: person(other, "of"))
        case "leave family": return .leaveFamily(subjectPerson())
        case "make organizer": return .makeOrganizer(subjectPerson())
        case "share": return .shareProduct(true, product: product(), by: person())
        case "stop sharing": return .shareProduct(false, product: product(), by: person())
        case "share purchases": return .setPurchaseSharing(true, of: subjectPerson())
        case "stop sharing purchases": return .setPurchaseSharing(false, of: subjectPerson())
        case "reset settings": return .resetSettings
        default: return try storeCommand()
        }
    }

    private func storeCommand() throws(ScenarioError) -> SimulatorCommand {
        switch word {
        case "extend":
            return .extendRenewalDate(
                of: subject(), days: days(), reason: extensionReason(), requestID: text("request"))
        case "extend all":
            return .extendRenewalDates(
                of: product(), days: days(), reason: extensionReason(), storefronts: storefronts(),
                requestID: text("request") ?? "request-\(key.line)")
        case "price":
            let consent = read("consent") { node throws(ScenarioError) in
                try node.word("consent", of: PriceConsent.self)
            }
            let price = required("to", or: 0) { node throws(ScenarioError) in try node.thousandths("to") }
            let plan = read("billing") { node throws(ScenarioError) in try Self.billing(node) }
            return .changePrice(of: product(), to: price, consent: consent ?? .automatic, billingPlan: plan)
        case "ask consent": return .requestPriceConsent(subject())
        case "consent": return .answerPriceConsent(flag("answer") ?? true, of: subject())
        case "remove from sale": return .setForSale(false, product: product())
        case "put on sale": return .setForSale(true, product: product())
        case "request refund":
            return .requestRefund(subject(), reason: read("reason", Self.requestReason) ?? .unintendedPurchase)
        case "refund":
            let reason = read("reason", Self.revocationReason) ?? .other
            guard let node = members["seats"] else {
                return .refund(subject(), percentage: read("percent", Self.share), reason: reason)
            }
            if members["percent"] != nil { throw node.error("'seats' excludes 'percent'", "leave one of them out") }
            return .refundSeats(whole("seats") ?? 1, of: subject(), reason: reason)
        case "decline refund": return .declineRefund(subject())
        case "reverse refund": return .reverseRefund(subject())
        case "revoke assignment": return .revokeAssignment(subject())
        case "advanced commerce":
            let text = required("info", or: "") { node throws(ScenarioError) in
                let text = try node.text("info")
                do throws(SimulatorError) { _ = try AdvancedCommerceState(text) } catch {
                    throw node.error(
                        error.message, #"write it like '{"items": [{"SKU": "pro", "price": 4990}]}'"#)
                }
                return text
            }
            let change = read("change") { node throws(ScenarioError) in
                try node.word("change", of: AdvancedCommerceChange.self)
            }
            return .setAdvancedCommerce(text, of: subject(), change: change ?? .description)
        case "claim seat", "release seat", "associate seat": return try seatCommand()
        case "seats":
            let number = required("number", or: 1) { node throws(ScenarioError) in
                guard let number = Int(exactly: try node.integer("number")) else {
                    throw node.error("'number' is too large", "write a smaller number")
                }
                return number
            }
            let invitations = read("invitations") { node throws(ScenarioError) in
                try node.word("invitations", of: SeatInvitations.self)
            }
            return .setSeats(number, of: subject(), invitations: invitations ?? .developer)
        case "unclaim seats":
            let claims = (members["claims"]?.elements ?? []).compactMap { node in
                node.attempt { () throws(ScenarioError) in try Self.uuid(node) }.flatMap(\.self)
            }
            return .unclaimSeats(claims, of: subject())
        case "consumption":
            return .informOfConsumption(
                of: subject(), delivery: text("delivery") ?? "DELIVERED", preference: text("preference"))
        case "test notification": return .requestTestNotification
        case "fault": return try fault()
        default: throw key.error("there is no step '\(word)'", "see 'storekeeper simulate --help'")
        }
    }

    private func seatCommand() throws(ScenarioError) -> SimulatorCommand {
        func id(_ node: ScenarioNode) throws(ScenarioError) -> UUID {
            guard let id = try Self.uuid(node) else { throw node.error("'none' is not a claim", "write a UUID") }
            return id
        }
        let none = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        let claim = required("claim", or: none, id)
        switch word {
        case "claim seat":
            let request = read("request", id)
            let member = members["member"].map { person($0, "member") }
            return .claimSeat(SeatClaim(id: claim, request: request ?? claim, member: member), of: subject())
        case "release seat": return .releaseSeat(claim, of: subject())
        default:
            guard let member = members["member"] else {
                throw key.error("'\(word)' has no 'member'", "add 'member:'")
            }
            return .associateSeat(claim, with: person(member, "member"), of: subject())
        }
    }

    // MARK: Parts

    /// Returns a storefront's country code.
    ///
    /// If the step expects an error, any text is allowed.
    private func country(_ node: ScenarioNode) throws(ScenarioError) -> String {
        isChecked ? try ScenarioSettings.country(node) : try node.text("storefront")
    }

    private func storefronts() -> Set<String> {
        let countries = (members["storefronts"]?.elements ?? []).compactMap { node in
            node.attempt { () throws(ScenarioError) in try country(node) }
        }
        return Set(countries)
    }

    private func days() -> Int {
        required("days", or: 1) { node throws(ScenarioError) in
            guard let days = Int(exactly: try node.integer("days")) else {
                throw node.error("'days' is too large", "write a smaller number")
            }
            return days
        }
    }

    /// Returns Apple's code for the reason of a renewal date extension: 0 undeclared, 1 customer satisfaction, 2 other,
    /// 3 service issue or outage.
    private func extensionReason() -> Int { whole("reason") ?? 0 }

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
            throw node.error(
                "'\(text)' is not a valid reason", NearestWord.advice(for: text, among: all.map { "\($0)" }))
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
                throw node.error("'\(text)' is not a valid reason", "write other, developerIssue or a number")
            }
            return RevocationReason(rawValue: number)
        }
    }
}
