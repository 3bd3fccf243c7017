"""Rules of explanations."""

from . import Rule

RULES = [
    Rule(
        "an explanation has a step at the end of a pass, even at the instant of the question",
        "Sources/StorekeeperEngine/Answers/ExplanationNarrator+OneTime.swift",
        "ExplanationCaseTests/endOfPass",
        expression="entry.from <= asked",
        instead="entry.from < asked",
    ),
    Rule(
        "an explanation has a step at the end of a period, grace, billing retry or leeway",
        "Sources/StorekeeperEngine/Answers/ExplanationNarrator+Chains.swift",
        "ExplanationCaseTests/ends",
        expression="!purchases.contains(entry.from)",
        instead="purchases.isEmpty",
    ),
    Rule(
        "a lone renewal has its step at the signing date from which it counts",
        "Sources/StorekeeperEngine/Answers/ExplanationNarrator+Chains.swift",
        "ExplanationRecordTests/loneRenewal",
        expression="min(account.beginnings[fact.key] ?? fact.purchasedAt, fact.purchasedAt)",
        instead="fact.purchasedAt",
    ),
    Rule(
        "the leniency for an upgrade without a known successor is explained",
        "Sources/StorekeeperEngine/Answers/ExplanationNarrator+Chains.swift",
        "ExplanationCaseTests/upgradeWithoutSuccessor",
        expression="index == facts.count - 1",
        instead="index < 0",
    ),
    Rule(
        "of equal superseded copies the latest signing date is kept, in any order of arrival",
        "Sources/StorekeeperEngine/History/SupersededCopies.swift",
        "ExplanationRecordTests/supersededCopies",
        expression="max(known, signedAt)",
        instead="signedAt",
    ),
    Rule(
        "a copy with the same data as the newest is not a contradiction",
        "Sources/StorekeeperEngine/History/SupersededCopies.swift",
        "ExplanationRecordTests/supersededRefund",
        statement="for said in copies.keys where said.agrees(with: holding) { copies[said] = nil }",
        instead="",
    ),
    Rule(
        "an explanation says why one of two purchases decides",
        "Sources/StorekeeperEngine/Answers/ExplanationNarrator+Choice.swift",
        "ExplanationCaseTests/choice",
        expression="claims.count > 1",
        instead="claims.count > 2",
    ),
    Rule(
        "the priority of a purchase over a shared one is named as the reason",
        "Sources/StorekeeperEngine/Subscriptions/ServiceLevel+Why.swift",
        "ExplanationCaseTests/choice",
        expression="a.claim != b.claim",
        instead="false",
    ),
    Rule(
        "a step names another transaction that decides from then on",
        "Sources/StorekeeperEngine/Answers/ExplanationNarrator.swift",
        "ExplanationLawTests",
        expression="decider.key != fact?.key",
        instead="decider.key == fact?.key",
    ),
    Rule(
        'a step says "still" only where the answer goes on',
        "Sources/StorekeeperEngine/Answers/ExplanationNarrator.swift",
        "ExplanationLawTests",
        expression="timeline.run(at: instant).from == instant",
        instead="timeline.run(at: instant).from != instant",
    ),
]
