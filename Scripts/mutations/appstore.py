"""More rules of the simulated App Store."""

from . import Rule

RULES = [
    Rule(
        "a run of service begins anew after 60 days without paid service, at the pace of the app",
        "Sources/StorekeeperSimulator/World/World+Periods.swift",
        "RunOfServiceTests",
        expression="start.milliseconds(since: subscription.paidUntil) >= limit",
        instead="start.milliseconds(since: subscription.service.lapsedAt ?? subscription.paidUntil) >= limit",
    ),
    Rule(
        "a family member's run of service is their own",
        "Sources/StorekeeperSimulator/World/World+Copies.swift",
        "RunOfServiceTests",
        statement="if isNewRun { subscriptions[copy].recentStart = service.startedAt }",
        instead="",
    ),
    Rule(
        "a win-back offer is for those whose renewal info names it",
        "Sources/StorekeeperSimulator/World/World+Offers.swift",
        "OfferRuleTests",
        expression="subscription.map { eligibleWinBackOffers(of: $0).contains(offer) } ?? false",
        instead="subscription.map { $0.service.phase == .expired || $0.service.phase == .revoked } ?? false",
    ),
    Rule(
        "a win-back offer that the testing file switches off is nobody's",
        "Sources/StorekeeperSimulator/World/World+Offers.swift",
        "OfferRuleTests",
        expression="app.catalogOffer(place).isEligible != false",
        instead="true",
    ),
    Rule(
        "monthly billing of a year is not sold in the United States and in Singapore",
        "Sources/StorekeeperSimulator/World/World+Buying.swift",
        "CommitmentRuleTests",
        expression="storefront.hasMonthlyPlans",
        instead='storefront.country != "USA"',
    ),
    Rule(
        "the payments of a commitment keep their price",
        "Sources/StorekeeperSimulator/World/World+Prices.swift",
        "CommitmentRuleTests",
        expression="subscription.isCommitted ? subscription.standardPrice : subscription.followingPrice",
        instead="subscription.followingPrice",
    ),
    Rule(
        "whatever ends a commitment, none follows",
        "Sources/StorekeeperSimulator/World/World+Renewing.swift",
        "CommitmentRuleTests",
        statement="subscriptions[place].service.commitmentRenews = false",
        instead="",
    ),
    Rule(
        "a price is asked of those who are about to renew",
        "Sources/StorekeeperSimulator/World/World+Prices.swift",
        "PriceRuleTests",
        expression="subscriptions[place].isAboutToRenew",
        instead="true",
    ),
    Rule(
        "a second part of a refund adds to the first",
        "Sources/StorekeeperSimulator/World/World+Refunds.swift",
        "SecondThoughtTests",
        expression="Int64(before) + Int64(share)",
        instead="Int64(share)",
    ),
    Rule(
        "a notification is signed no earlier than what is in it",
        "Sources/StorekeeperSimulator/Issuing/World+Notifications.swift",
        "NotificationMatrixTests",
        expression="max(entry.at, transaction, renewal)",
        instead="entry.at",
    ),
    Rule(
        "a copy that was only signed later is no difference",
        "Sources/StorekeeperAppStore/Reconciling/EvidenceComparison.swift",
        "ReconciliationTests/agreement",
        expression="!member.hasName(\"signedDate\")",
        instead="!member.name.isEmpty",
    ),
    Rule(
        "a reconciliation goes on behind those who are done with",
        "Sources/StorekeeperAppStore/Reconciling/Reconciliation.swift",
        "ReconciliationTests/resumption",
        statement="if configuration.mends { try await vault.setCursor(place.cursor, of: name) }",
        instead="",
    ),
    Rule(
        "a reconciliation claims nothing unasked",
        "Sources/StorekeeperAppStore/Reconciling/Reconciliation.swift",
        "ReconciliationTests/sharedAccount",
        expression="isClaimed: «configuration.claims»",
        instead="true",
    ),
    Rule(
        "what is parked is not parked again",
        "Sources/StorekeeperAppStore/Reconciling/Reconciliation.swift",
        "ReconciliationTests/sharedAccount",
        expression="try await !vault.chains(originalID: chain.originalID).contains(chain)",
        instead="try await vault.chains(originalID: chain.originalID).count >= 0",
    ),
]
