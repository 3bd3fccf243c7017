import FoundationEssentials
import Storekeeper

extension ScenarioWriter {
    /// Returns a command as the keys and values of a step; the first key is the step's keyword.
    func pairs(of command: SimulatorCommand) -> Pairs {
        switch command {
        case .advance(let instant): return [("advance to", .text(instant.scenarioText))]
        case .createAccount(let name, let storefront):
            return [("new person", .text(name.rawValue))] + (storefront.map { [("storefront", .text($0))] } ?? [])
        case .setAppTransaction(let name, let version, let purchasedAt, let isRevoked):
            return [("app transaction", .text(name.rawValue))] + (version.map { [("version", .text($0))] } ?? [])
                + (purchasedAt.map { [("date", .text($0.scenarioText))] } ?? [])
                + (isRevoked.map { [("revoked", .text($0 ? "yes" : "no"))] } ?? [])
        case .setStorefront(let country, let name):
            return [("storefront", .text(name.rawValue)), ("to", .text(country))]
        case .createFamily(let name): return [("new family", .text(name.rawValue))]
        case .joinFamily(let name, let other):
            return [("join family", .text(name.rawValue)), ("of", .text(other.rawValue))]
        case .leaveFamily(let name): return [("leave family", .text(name.rawValue))]
        case .makeOrganizer(let name): return [("make organizer", .text(name.rawValue))]
        case .setPurchaseSharing(let isOn, let name):
            return [(isOn ? "share purchases" : "stop sharing purchases", .text(name.rawValue))]
        case .shareProduct(let isOn, let id, let name): return product(isOn ? "share" : "stop sharing", id, name)
        case .setSetting(let setting): return [("set", Self.mapping([setting]))]
        case .resetSettings: return [("reset settings", .text(""))]
        case .buy(let id, let name, let options): return product("buy", id, name) + request(options)
        case .buyOutsideApp(let id, let name): return product("buy outside app", id, name)
        case .redeemOfferCode(let code, let id, let name):
            return product("redeem", id, name) + [("code", .text(code))]
        case .intendPurchase(let id, let name): return product("intend", id, name)
        case .approveAskToBuy(let id): return subject("approve", .id(id))
        case .declineAskToBuy(let id): return subject("decline", .id(id))
        case .resolveIssue(let reference): return subject("resolve issue", reference)
        case .finish(let reference): return subject("finish", reference)
        case .setAppAccountToken(let token, let reference):
            return subject("token", reference) + [("to", .text(token?.uuidString.lowercased() ?? "none"))]
        case .deleteTransaction(let reference): return subject("delete", reference)
        case .clearTransactions(let name): return [("clear", .text(name?.rawValue ?? "everyone"))]
        case .setAutoRenew(let isOn, let reference): return subject(isOn ? "resume" : "cancel", reference)
        case .changePlan(let id, let name, let plan):
            return product("change plan", id, name) + (plan.map { [("billing", Self.text($0))] } ?? [])
        case .applyOffer(let offer, let reference):
            return subject("apply offer", reference) + [("offer", .text(Self.text(offer)))]
        case .forceRenewal(let id, let name): return product("force renewal", id, name)
        case .expire(let id, let name): return product("expire", id, name)
        case .setPaymentsFail(let fails, let name):
            return [(fails ? "fail billing" : "fix billing", .text(name.rawValue))]
        case .retryBilling(let reference): return subject("retry billing", reference)
        case .extendRenewalDate(let reference, let days, let reason, let request):
            return subject("extend", reference) + [("days", .text("\(days)")), ("reason", .text("\(reason)"))]
                + (request.map { [("request", .text($0))] } ?? [])
        case .extendRenewalDates(let id, let days, let reason, let storefronts, let request):
            let pairs: Pairs = [
                ("extend all", .text(id.rawValue)), ("days", .text("\(days)")), ("reason", .text("\(reason)")),
                ("request", .text(request)),
            ]
            return pairs + (storefronts.isEmpty ? [] : [("storefronts", .list(storefronts.sorted()))])
        case .changePrice(let id, let price, let consent, let plan):
            return [
                ("price", .text(id.rawValue)), ("to", .text(Self.decimal(price))), ("consent", .text(consent.rawValue)),
            ] + (plan.map { [("billing", Self.text($0))] } ?? [])
        case .requestPriceConsent(let reference): return subject("ask consent", reference)
        case .answerPriceConsent(let agrees, let reference):
            return subject("consent", reference) + [("answer", Self.flag(agrees))]
        case .setForSale(let isForSale, let id):
            return [(isForSale ? "put on sale" : "remove from sale", .text(id.rawValue))]
        case .requestRefund(let reference, let reason):
            return subject("request refund", reference) + [("reason", .text("\(reason)"))]
        case .refund(let reference, let percentage, let reason):
            var pairs = subject("refund", reference)
            if let percentage { pairs.append(("percent", .text(Self.decimal(Int64(percentage))))) }
            return pairs + [("reason", .text(reason.scenarioText))]
        case .declineRefund(let reference): return subject("decline refund", reference)
        case .reverseRefund(let reference): return subject("reverse refund", reference)
        case .revokeAssignment(let reference): return subject("revoke assignment", reference)
        case .setAdvancedCommerce(let text, let reference, let change):
            return subject("advanced commerce", reference)
                + [("info", .text(text)), ("change", .text(change.rawValue))]
        case .setSeats(let number, let reference, let invitations):
            return subject("seats", reference)
                + [("number", .text("\(number)")), ("invitations", .text(invitations.rawValue))]
        case .unclaimSeats(let claims, let reference):
            return subject("unclaim seats", reference) + [("claims", .list(claims.map { $0.uuidString.lowercased() }))]
        case .refundSeats(let number, let reference, let reason):
            return subject("refund", reference)
                + [("seats", .text("\(number)")), ("reason", .text(reason.scenarioText))]
        case .claimSeat(let claim, let reference):
            return subject("claim seat", reference)
                + [
                    ("claim", .text(claim.id.uuidString.lowercased())),
                    ("request", .text(claim.request.uuidString.lowercased())),
                ] + (claim.member.map { [("member", .text($0.rawValue))] } ?? [])
        case .releaseSeat(let claim, let reference):
            return subject("release seat", reference) + [("claim", .text(claim.uuidString.lowercased()))]
        case .associateSeat(let claim, let name, let reference):
            return subject("associate seat", reference)
                + [("claim", .text(claim.uuidString.lowercased())), ("member", .text(name.rawValue))]
        case .informOfConsumption(let reference, let delivery, let preference):
            return subject("consumption", reference) + [("delivery", .text(delivery))]
                + (preference.map { [("preference", .text($0))] } ?? [])
        case .requestTestNotification: return [("test notification", .text(""))]
        case .beginFault(let fault): return Self.pairs(of: fault)
        case .endFaults: return [("fault", .text("none"))]
        }
    }
}
