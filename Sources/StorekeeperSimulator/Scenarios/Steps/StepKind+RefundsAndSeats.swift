import FoundationEssentials
import Storekeeper

extension StepKind.Key {
    static let requestReason = StepKey<RefundRequestReason>(
        "reason", .choice(RefundRequestReason.allCases.map { "\($0)" }),
        schema: ScenarioSchema.words(RefundRequestReason.allCases.flatMap { ["\($0)", $0.rawValue] })
    ) { node, _ throws(ScenarioError) in
        let text = try node.text("reason")
        let all = RefundRequestReason.allCases
        guard let reason = all.first(where: { "\($0)" == text || $0.rawValue == text }) else {
            throw node.error(
                "'\(text)' is not a valid reason", NearestWord.advice(for: text, among: all.map { "\($0)" }))
        }
        return reason
    } write: {
        .text("\($0)")
    }
    static let percent = StepKey<Int>(
        "percent", label: "per cent of the price", .text(placeholder: "100"),
        schema: ["type": .string("number"), "minimum": .number("0.001"), "maximum": .integer(100)]
    ) { node, _ throws(ScenarioError) in
        let share = try node.thousandths("percent")
        guard (1...100_000).contains(share) else {
            throw node.error("a share of \(try node.text("percent")) per cent is out of bounds", "write 0.001 to 100")
        }
        return Int(share)
    } write: {
        .text(ScenarioWriter.decimal(Int64($0)))
    }
    static let refundedSeats = StepKey<Int>.whole("seats", 1...100_000)
    static let revocationReason = StepKey<RevocationReason>(
        "reason", .choice(["other", "developerIssue"]),
        schema: ScenarioSchema.either([ScenarioSchema.integer(), ScenarioSchema.words(["other", "developerIssue"])])
    ) { node, _ throws(ScenarioError) in
        let text = try node.text("reason")
        switch text {
        case "other": return RevocationReason.other
        case "developerIssue": return RevocationReason.developerIssue
        default:
            guard let number = Int64(text) else {
                throw node.error("'\(text)' is not a valid reason", "write other, developerIssue or a number")
            }
            return RevocationReason(rawValue: number)
        }
    } write: {
        .text($0.scenarioText)
    }
    static let info = StepKey<String>(
        "info", .text(placeholder: "{\"items\":[{\"SKU\":\"pro\"}]}"), schema: ["type": .string("string")]
    ) { node, _ throws(ScenarioError) in
        let text = try node.text("info")
        do throws(SimulatorError) { _ = try AdvancedCommerceState(text) } catch {
            throw node.error(error.message, #"write it like '{"items": [{"SKU": "pro", "price": 4990}]}'"#)
        }
        return text
    } write: {
        .text($0)
    }.required()
    static let change = StepKey<AdvancedCommerceChange>.word("change")
    static let number = StepKey<Int>.whole("number", 1...100_000).required()
    static let invitations = StepKey<SeatInvitations>.word("invitations")
    static let claims = StepKey<[UUID]>(
        "claims", label: "ids of claims", .text(placeholder: "UUIDs"),
        schema: ScenarioSchema.oneOrList(ScenarioSchema.reference("uuid")), isList: true
    ) { node, _ in
        node.elements.compactMap { node in
            node.attempt { () throws(ScenarioError) in try StepDraft.uuid(node) }.flatMap(\.self)
        }
    } write: {
        .list($0.map { $0.uuidString.lowercased() })
    }.required(.inForm)
    static let claim = StepKey<UUID>.id("claim", label: "id of the claim").required()
    static let claimRequest = StepKey<UUID>.id("request", label: "request id")
    static let member = StepKey<CustomerID>.person("member")
    static let seatedMember = member.required()
    static let delivery = StepKey<String>.text("delivery", .choice(ConsumptionWord.deliveries.sorted()))
    static let preference = StepKey<String>.text("preference", .choice(ConsumptionWord.preferences.sorted()))
}

extension StepKind {
    /// The steps about refunds, about Advanced Commerce and seats, and about the connection to the app's server.
    static let ofRefundsAndSeats: [StepKind] = [
        StepKind(
            "request refund", .purchase, "requests a refund in the app", [Key.requestReason],
            form: .purchase(rank: 1, near: 5) { item, _ in item.isRefundable && !item.transaction.isRefundRequested }
        ) {
            .requestRefund($0.subject(), reason: $0[Key.requestReason] ?? .unintendedPurchase)
        } writes: {
            if case .requestRefund(let it, let reason) = $0 { .of(it, Key.requestReason(reason)) } else { nil }
        },
        StepKind(
            "refund", .purchase, "refunds all or a part of a purchase",
            [Key.percent, Key.refundedSeats, Key.revocationReason],
            form: .purchase(rank: 1, near: 7) { item, _ in item.isRefundable }
        ) { step throws(ScenarioError) in
            let reason = step[Key.revocationReason] ?? .other
            guard let node = step.members["seats"] else {
                return .refund(step.subject(), percentage: step[Key.percent], reason: reason)
            }
            if step.members["percent"] != nil {
                throw node.error("'seats' excludes 'percent'", "leave one of them out")
            }
            return .refundSeats(step[Key.refundedSeats] ?? 1, of: step.subject(), reason: reason)
        } writes: {
            switch $0 {
            case .refund(let it, let percentage, let reason):
                .of(it, Key.percent(percentage), Key.revocationReason(reason))
            case .refundSeats(let number, let it, let reason):
                .of(it, Key.refundedSeats(number), Key.revocationReason(reason))
            default: nil
            }
        },
        StepKind(
            "decline refund", .purchase, "declines a requested refund",
            form: .purchase(rank: 1, near: 6) { item, _ in item.transaction.isRefundRequested }
        ) {
            .declineRefund($0.subject())
        } writes: {
            if case .declineRefund(let it) = $0 { .of(it) } else { nil }
        },
        StepKind(
            "reverse refund", .purchase, "reverses a refund",
            form: .purchase(rank: 1, near: 8) { item, _ in item.transaction.state == .refunded }
        ) {
            .reverseRefund($0.subject())
        } writes: {
            if case .reverseRefund(let it) = $0 { .of(it) } else { nil }
        },
        StepKind(
            "revoke assignment", .purchase, "revokes an assigned subscription",
            form: .purchase { item, _ in item.isBought && item.transaction.revokedAt == nil }
        ) {
            .revokeAssignment($0.subject())
        } writes: {
            if case .revokeAssignment(let it) = $0 { .of(it) } else { nil }
        },
        StepKind(
            "advanced commerce", .purchase, "describes or changes the items of a generic product",
            [Key.info, Key.change], form: .purchase()
        ) {
            let (info, change) = ($0[Key.info], $0[Key.change])
            return .setAdvancedCommerce(info ?? "", of: $0.subject(), change: change ?? .description)
        } writes: {
            if case .setAdvancedCommerce(let text, let it, let change) = $0 {
                .of(it, Key.info(text), Key.change(change))
            } else {
                nil
            }
        },
        StepKind(
            "seats", .purchase, "sets the seats of a group's subscription", [Key.number, Key.invitations],
            form: .purchase(title: "Set the number of seats")
        ) {
            let (number, invitations) = ($0[Key.number], $0[Key.invitations])
            return .setSeats(number ?? 1, of: $0.subject(), invitations: invitations ?? .developer)
        } writes: {
            if case .setSeats(let number, let it, let invitations) = $0 {
                .of(it, Key.number(number), Key.invitations(invitations))
            } else {
                nil
            }
        },
        StepKind(
            "unclaim seats", .purchase, "takes claimed seats of a group away", [Key.claims], form: .purchase(rank: 9)
        ) {
            .unclaimSeats($0[Key.claims] ?? [], of: $0.subject())
        } writes: {
            if case .unclaimSeats(let claims, let it) = $0 { .of(it, Key.claims(claims)) } else { nil }
        },
        StepKind(
            "claim seat", .purchase, "claims a seat of a group, as the app's server does",
            [Key.claim, Key.claimRequest, Key.member], form: .purchase(rank: 6)
        ) {
            let claim = $0[Key.claim] ?? noClaim
            return .claimSeat(
                SeatClaim(id: claim, request: $0[Key.claimRequest] ?? claim, member: $0[Key.member]), of: $0.subject())
        } writes: {
            if case .claimSeat(let claim, let it) = $0 {
                .of(it, Key.claim(claim.id), Key.claimRequest(claim.request), Key.member(claim.member))
            } else {
                nil
            }
        },
        StepKind(
            "release seat", .purchase, "releases a claimed seat, as the app's server does", [Key.claim],
            form: .purchase(rank: 8)
        ) {
            .releaseSeat($0[Key.claim] ?? noClaim, of: $0.subject())
        } writes: {
            if case .releaseSeat(let claim, let it) = $0 { .of(it, Key.claim(claim)) } else { nil }
        },
        StepKind(
            "associate seat", .purchase, "states who occupies a claimed seat", [Key.claim, Key.seatedMember],
            form: .purchase(rank: 7)
        ) { step throws(ScenarioError) in
            let claim = step[Key.claim] ?? noClaim
            return .associateSeat(claim, with: try step.needed(Key.seatedMember), of: step.subject())
        } writes: {
            if case .associateSeat(let claim, let name, let it) = $0 {
                .of(it, Key.claim(claim), Key.seatedMember(name))
            } else {
                nil
            }
        },
        StepKind(
            "consumption", .purchase, "sends consumption information to the App Store",
            [Key.delivery, Key.preference], form: .purchase(title: "Send consumption information", rank: 3)
        ) {
            .informOfConsumption(
                of: $0.subject(), delivery: $0[Key.delivery] ?? "DELIVERED", preference: $0[Key.preference])
        } writes: {
            if case .informOfConsumption(let it, let delivery, let preference) = $0 {
                .of(it, Key.delivery(delivery), Key.preference(preference))
            } else {
                nil
            }
        },
        ofFaults,
        StepKind("test notification", .nothing, "requests a notification of the type TEST", form: .store()) { _ in
            .requestTestNotification
        } writes: {
            if case .requestTestNotification = $0 { .text("") } else { nil }
        },
    ]

    /// The placeholder in a step without a valid claim.
    private static let noClaim = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
}

/// Apple's words in consumption information.
package enum ConsumptionWord {
    /// The delivery statuses.
    package static let deliveries: Set<String> = [
        "DELIVERED", "UNDELIVERED_QUALITY_ISSUE", "UNDELIVERED_WRONG_ITEM", "UNDELIVERED_SERVER_OUTAGE",
        "UNDELIVERED_OTHER",
    ]
    /// The refund preferences.
    package static let preferences: Set<String> = ["DECLINE", "GRANT_FULL", "GRANT_PRORATED"]
}
