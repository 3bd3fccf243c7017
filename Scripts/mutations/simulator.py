"""Rules of the simulated App Store; the stories in Configuration/scenarios notice."""

from . import Rule

STORIES = "ShippedScenarioTests"
WORLD = "Sources/StorekeeperSimulator/World/"

RULES = [
    Rule(
        "a payment in the grace period keeps the billing day",
        WORLD + "World+Renewing.swift",
        STORIES,
        expression="let start = «service.phase == .grace ? service.expiresAt : now»",
        instead="now",
    ),
    Rule(
        "cancelling in the grace period ends access immediately",
        WORLD + "World+Subscribing.swift",
        STORIES,
        expression="if !subscriptions[place].service.autoRenews, «subscription.isInBillingRetry» {",
        instead="subscription.service.phase == .retry",
    ),
    Rule(
        "an introductory offer can be used once",
        WORLD + "World+Offers.swift",
        STORIES,
        expression="«app.offers[offer].kind == .introductory» && app.terms[state.product].group == group",
        instead="app.offers[offer].kind == .code",
    ),
    Rule(
        "a refund turns renewal off",
        WORLD + "World+Refunds.swift",
        STORIES,
        statement="        subscriptions[place].service.autoRenews = false\n",
        instead="",
    ),
    Rule(
        "an upgrade supersedes the older transaction",
        WORLD + "World+Plans.swift",
        STORIES,
        statement="        supersede(old, in: place)\n",
        instead="",
    ),
    Rule(
        "billing retry lasts 60 days",
        "Sources/StorekeeperSimulator/Time/RenewalPace+Lengths.swift",
        STORIES,
        expression="case .calendar: «60 * Self.day»",
        instead="61 * Self.day",
    ),
    Rule(
        "a family copy names its owner",
        "Sources/StorekeeperSimulator/Issuing/World+Payloads.swift",
        STORIES,
        expression='«isShared» ? "FAMILY_SHARED" : record',
        instead="false",
    ),
    Rule(
        "months are counted from the first day, not from one to the next",
        WORLD + "World+Periods.swift",
        STORIES,
        expression="if isFirst || isChange || !isContinued || «length != subscription.anchorPeriod» {",
        instead="isContinued",
    ),
    Rule(
        "an offer code is redeemed once",
        WORLD + "World+Offers.swift",
        STORIES,
        statement="downloads[download].redeemedCodes.insert(offer)",
        instead="",
    ),
    Rule(
        "a renewal uses a higher price that needs no consent",
        WORLD + "World+Periods.swift",
        STORIES,
        statement="standardPrice = increasedPrice",
        instead="increasedPrice = nil",
    ),
    Rule(
        "a refund of some seats does not revoke the transaction",
        WORLD + "World+Refunds.swift",
        "SeatRuleTests/refunds",
        expression="guard «number < left» else",
        instead="number > left",
    ),
    Rule(
        "claims for which no seat is left end with a refund",
        WORLD + "World+Refunds.swift",
        "SeatRuleTests/surplus",
        statement="if subscriptions[place].current == transaction { try unclaimSurplus(of: place) }",
        instead="",
    ),
    Rule(
        "an offer ends with its product",
        WORLD + "World+Periods.swift",
        "MeetingChangesTests",
        statement="            if offer == nil { subscription.clearOffers() }\n",
        instead="",
    ),
    Rule(
        "an announced price waits until an offer has ended",
        WORLD + "World+Periods.swift",
        "MeetingChangesTests",
        expression="} else if !isWithinCommitment, «offer == nil» {",
        instead="true",
    ),
    Rule(
        "a customer who refused a price and continues is asked again",
        WORLD + "World+Prices.swift",
        "MeetingChangesTests",
        statement="        if subscriptions[place].priceIncrease == .declined "
        "{ subscriptions[place].priceIncrease = .pending }\n",
        instead="",
    ),
    Rule(
        "prices change during billing retry, too",
        WORLD + "World+Prices.swift",
        "MeetingChangesTests",
        expression="subscription.sharedFrom == nil, «subscription.isInService || subscription.isInBillingRetry»,",
        instead="subscription.isInService",
    ),
    Rule(
        "an offer belongs to its billing plan",
        "Sources/StorekeeperSimulator/Tables/App.swift",
        "MeetingChangesTests",
        expression="return terms.product == product && «terms.plan == plan» &&",
        instead="true",
    ),
    Rule(
        "a cancelled commitment is still paid while a payment is retried",
        WORLD + "World+Subscribing.swift",
        "MeetingChangesTests",
        expression="if service.plan == .monthly, «service.phase == .active || service.phase == .retry» {",
        instead="service.phase == .active",
    ),
    Rule(
        "win-back offers are unknown from an info of billing retry",
        "Sources/StorekeeperEngine/Answers/CustomerOffers.swift",
        "OfferAnswerTests",
        expression="            «!info.isInBillingRetry»\n        else { return .unknown(.staleRenewalInfo) }",
        instead="true",
    ),
]
