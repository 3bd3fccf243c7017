"""Rules of what the command line says, and of charts."""

from . import Rule

RULES = [
    Rule(
        "an item that names no product and failed leaves no room for never",
        "Sources/StorekeeperCLI/Evidence/LoadedEvidence.swift",
        "EvidenceProofTests",
        expression="refusal == nil && failures.allSatisfy { $0.namesProduct || $0.error.code == .environmentRefused }",
        instead="refusal == nil",
    ),
    Rule(
        "answers are verified only when every item passed, a refused environment aside",
        "Sources/StorekeeperCLI/Evidence/LoadedEvidence.swift",
        "EvidenceProofTests",
        expression="isSigned && failures.allSatisfy { $0.error.code == .environmentRefused }",
        instead="isSigned && refusal == nil",
    ),
    Rule(
        "evidence that was refused as a whole is unknown and not never",
        "Sources/StorekeeperCLI/Answers/Inquiry.swift",
        "EvidenceProofTests",
        expression="loaded.isSilenceProof ? nil : .unverified",
        instead="nil",
    ),
    Rule(
        "a terminal's own width goes before COLUMNS",
        "Sources/StorekeeperCLI/Output/Console.swift",
        "TerminalWidthTests",
        expression="outputColumns ?? named ?? Terminal.usualWidth",
        instead="named ?? outputColumns ?? Terminal.usualWidth",
    ),
    Rule(
        "billing retry is drawn apart from what has expired",
        "Sources/StorekeeperCharts/TimelineChart.swift",
        "TimelinePictureTests",
        statement="look = Look(answer)",
        instead='look = answer.word == "lapsed" ? .lapsed : Look(answer)',
    ),
    Rule(
        "a command that there is not is an error behind help, too",
        "Sources/StorekeeperCLI/CommandLineTool.swift",
        "UsageTests",
        statement='if words.first == "help" { words = words.dropFirst() }',
        instead='if words.first == "help" { return nil }',
    ),
    Rule(
        "a bar appears only after a while",
        "Sources/StorekeeperCLI/Output/ProgressBar.swift",
        "ProgressBarTests",
        statement="guard start.duration(to: instant) >= Self.patience else { return }",
        instead="",
    ),
    Rule(
        "a product that a feature names and the customer has is no fault of the list",
        "Sources/Storekeeper/Store/Store+Diagnostics.swift",
        "NearNamesTests",
        expression="return «!wasBought» && !resolution.isConsumable(id)",
        instead="true",
    ),
    Rule(
        "a renewal info without its transaction does not count, so that the exit is 77 where all else failed",
        "Sources/StorekeeperCLI/Evidence/LoadedEvidence.swift",
        "EvidenceProofTests",
        statement=r"guard isSigned, !somethingCounts, fates.contains(where: \.isFailure) else { return nil }",
        instead=r"guard isSigned, transactions.isEmpty, renewalInfos.isEmpty, fates.contains(where: \.isFailure) else { return nil }",
    ),
]
