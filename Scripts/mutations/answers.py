"""Rules of the engine's answers, of reading evidence and of balances."""

from . import Rule

RULES = [
    Rule(
        "of two transactions at one instant the one that is not upgraded is current",
        "Sources/StorekeeperEngine/History/PurchaseChain.swift",
        "EqualInstantTests",
        statement="if left.isUpgraded != right.isUpgraded { return left.isUpgraded }",
        instead="",
    ),
    Rule(
        "of two transactions at one instant the one that is not revoked is current",
        "Sources/StorekeeperEngine/History/PurchaseChain.swift",
        "EqualInstantTests",
        statement="if (left.revokedAt == nil) != (right.revokedAt == nil) { return left.revokedAt != nil }",
        instead="",
    ),
    Rule(
        "of the records of one period the newest counts",
        "Sources/StorekeeperEngine/History/PurchaseChain.swift",
        "EqualInstantTests",
        expression="CopyOrder.supersedes(left, right)",
        instead="CopyOrder.supersedes(right, left)",
    ),
    Rule(
        "of copies signed at one instant the revoked one counts",
        "Sources/StorekeeperEngine/History/CopyOrder.swift",
        "PurchaseHistoryTests",
        statement="if (new.revokedAt == nil) != (old.revokedAt == nil) { return new.revokedAt != nil }",
        instead="",
    ),
    Rule(
        "a renewal info of the failed renewal before says nothing of the recovered period",
        "Sources/StorekeeperEngine/Subscriptions/SubscriptionPhases.swift",
        "StaleRenewalInfoTests",
        expression="signedAt >= transaction.renewalFirstTriedAt",
        instead="signedAt >= transaction.purchasedAt",
    ),
    Rule(
        "a revocation whose date cannot be read revokes from the copy's signature on",
        "Sources/StorekeeperEngine/Evidence/Transaction.swift",
        "OddMemberTests",
        expression='(read.has("revocationDate") ? signedAt : nil)',
        instead="nil",
    ),
    Rule(
        "a rounded third of three units is one unit",
        "Sources/StorekeeperEngine/Consumables/RefundShare.swift",
        "BalanceTests",
        expression="2 * (refunded - units * 100_000).magnitude <= quantity",
        instead="refunded == units * 100_000",
    ),
    Rule(
        "within a product what cannot be told stands before what lapsed",
        "Sources/StorekeeperEngine/Subscriptions/ServiceLevel.swift",
        "AnswerOrderTests",
        expression="rank(answer)",
        instead="(rank(answer) ^ (rank(answer) >= 2 ? 1 : 0))",
    ),
    Rule(
        "a level of service holds for the products of that level, too",
        "Sources/StorekeeperEngine/Resolution/Resolution.swift",
        "AnswerOrderTests",
        expression="known <= level",
        instead="known < level",
    ),
    Rule(
        "what one chain holds of two groups is two lines of service",
        "Sources/StorekeeperEngine/Subscriptions/GroupMembers+Lines.swift",
        "LineOfServiceTests",
        expression="productIDs.count > 1 && groups(of: productIDs).count > 1",
        instead="false",
    ),
    Rule(
        "a purchase that waits for the bank has a lifetime of its own",
        "Sources/Storekeeper/Store/PurchasingStore.swift",
        "StorePurchaseTests",
        expression="parts.configuration.lifetime(of: reason)",
        instead="parts.configuration.lifetime(of: .askToBuy)",
    ),
]
