"""Rules of scenarios and of the conversation at the terminal."""

from . import Rule

RULES = [
    Rule(
        "all signed evidence includes superseded copies",
        "Sources/StorekeeperSimulator/AppStore/SimulatedAppStore+Evidence.swift",
        "ScenarioSignedTests",
        expression="copies == .all || !state.isDeleted && state.latest == place",
        instead="!state.isDeleted && state.latest == place",
    ),
    Rule(
        "the newest copies have one renewal info of each subscription",
        "Sources/StorekeeperSimulator/AppStore/SimulatedAppStore+Evidence.swift",
        "ScenarioSignedTests",
        expression="subscription.renewalRecord == place",
        instead="place.index >= 0",
    ),
    Rule(
        "evidence is in the order of signing",
        "Sources/StorekeeperSimulator/AppStore/SimulatedAppStore+Evidence.swift",
        "ScenarioSignedTests",
        expression="documents in «documents.sorted { $0.at < $1.at }».map",
        instead="documents",
    ),
    Rule(
        "a missing member matches only the expectation none",
        "Sources/StorekeeperSimulator/Scenarios/Running/ScenarioRunner+Signed.swift",
        "ScenarioSignedTests",
        expression="self == .absent",
        instead="self == self",
    ),
    Rule(
        "a signed date is compared to the millisecond",
        "Sources/StorekeeperSimulator/Scenarios/Running/ScenarioRunner+Signed.swift",
        "ScenarioSignedTests",
        expression="found.int64 == instant.millisecondsSince1970",
        instead="found.int64 != nil && instant == instant",
    ),
    Rule(
        "a signed number is compared",
        "Sources/StorekeeperSimulator/Scenarios/Running/ScenarioRunner+Signed.swift",
        "ScenarioSignedTests",
        expression="found.int64 == number",
        instead="found.int64 != nil && number == number",
    ),
    Rule(
        "a product is not reported as missing if a catalog could not be read",
        "Sources/StorekeeperSimulator/Scenarios/Reading/ScenarioReader.swift",
        "ScenarioReaderTests",
        expression="knowsProducts && read != nil",
        instead="knowsProducts",
    ),
    Rule(
        "every error of a scenario is reported, so that no step has one",
        "Sources/StorekeeperSimulator/Scenarios/Reading/ScenarioMistakes.swift",
        "ScenarioReaderTests",
        statement="count += 1",
        instead="",
    ),
    Rule(
        "an outcome that no purchase can have is refused",
        "Sources/StorekeeperSimulator/Scenarios/Reading/StepReader.swift",
        "ScenarioSchemaTests",
        expression="words.count > 2 || words.count == 2 && !seconds.contains(words[1])",
        instead="words.count > 2",
    ),
    Rule(
        "a catalog in the scenario is used instead of a file",
        "Sources/StorekeeperSimulator/Scenarios/Reading/ScenarioReader.swift",
        "EmbeddedCatalogTests/mixed",
        expression="try «embedded[name] ?? catalog(name)»",
        instead="catalog(name)",
    ),
]
