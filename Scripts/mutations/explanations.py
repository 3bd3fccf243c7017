"""Rules of explanations."""

from . import Rule

RULES = [
    Rule(
        "an explanation has a step where the access of a pass ends, also at the very instant asked about",
        "Sources/Storekeeper/Entitlements/ExplanationNarrator+OneTime.swift",
        "ExplanationCaseTests/endOfPass",
        expression="entry.from <= asked",
        instead="entry.from < asked",
    ),
    Rule(
        "an explanation has a step where a period, grace, billing retry or leeway ends",
        "Sources/Storekeeper/Entitlements/ExplanationNarrator+Chains.swift",
        "ExplanationCaseTests/ends",
        expression="!purchases.contains(entry.from)",
        instead="purchases.isEmpty",
    ),
    Rule(
        "a lone renewal is told at the signature from which it counts",
        "Sources/Storekeeper/Entitlements/ExplanationNarrator+Chains.swift",
        "ExplanationCaseTests/loneRenewal",
        expression="min(account.beginnings[fact.key] ?? fact.purchasedAt, fact.purchasedAt)",
        instead="fact.purchasedAt",
    ),
    Rule(
        "the leniency for an upgrade without known successor is named",
        "Sources/Storekeeper/Entitlements/ExplanationNarrator+Chains.swift",
        "ExplanationCaseTests/upgradeWithoutSuccessor",
        expression="index == account.facts.count - 1",
        instead="index < 0",
    ),
    Rule(
        "of equal superseded copies the signature of the last is kept, in whatever order they arrive",
        "Sources/Storekeeper/History/SupersededCopies.swift",
        "ExplanationCaseTests/supersededCopies",
        expression="max(known, signedAt)",
        instead="signedAt",
    ),
    Rule(
        "a copy that says what the newest says is no contradiction",
        "Sources/Storekeeper/History/SupersededCopies.swift",
        "ExplanationCaseTests/supersededRefund",
        statement="signatures[key]?[holding] = nil",
        instead="",
    ),
    Rule(
        "an explanation says why one of two purchases decides",
        "Sources/Storekeeper/Entitlements/ExplanationNarrator+Choice.swift",
        "ExplanationCaseTests/choice",
        expression="claims.count > 1",
        instead="claims.count > 2",
    ),
    Rule(
        "that one's own purchase comes before a shared one is named as the ground",
        "Sources/Storekeeper/Subscriptions/ServiceLevel+Why.swift",
        "ExplanationCaseTests/choice",
        expression="a.claim != b.claim",
        instead="false",
    ),
    Rule(
        "a step names another transaction that decides from then on",
        "Sources/Storekeeper/Entitlements/ExplanationNarrator.swift",
        "ExplanationLawTests",
        expression="decider.key != fact?.key",
        instead="decider.key == fact?.key",
    ),
    Rule(
        'a step says "still" only where the answer goes on',
        "Sources/Storekeeper/Entitlements/ExplanationNarrator.swift",
        "ExplanationLawTests",
        expression="timeline.run(at: instant).from == instant",
        instead="timeline.run(at: instant).from != instant",
    ),
]
