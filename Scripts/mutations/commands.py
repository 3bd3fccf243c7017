"""Rules of what the command line says, and of charts."""

from . import Rule

RULES = [
    Rule(
        "a failed item without a product excludes the answer never",
        "Sources/StorekeeperCLI/Evidence/LoadedEvidence.swift",
        "EvidenceProofTests",
        expression="refusal == nil && failures.allSatisfy { $0.namesProduct || $0.error.code == .environmentRefused }",
        instead="refusal == nil",
    ),
    Rule(
        "answers are verified only if every item passed, except refused environments",
        "Sources/StorekeeperCLI/Evidence/LoadedEvidence.swift",
        "EvidenceProofTests",
        expression="isSigned && failures.allSatisfy { $0.error.code == .environmentRefused }",
        instead="isSigned && refusal == nil",
    ),
    Rule(
        "the answer about entirely refused evidence is unknown, not never",
        "Sources/StorekeeperCLI/Answers/AnswersQuery.swift",
        "EvidenceProofTests",
        expression="loaded.isSilenceProof ? nil : .unverified",
        instead="nil",
    ),
    Rule(
        "a terminal's width overrides COLUMNS",
        "Sources/StorekeeperCLI/Output/Console.swift",
        "TerminalWidthTests",
        expression="outputColumns ?? named ?? Terminal.usualWidth",
        instead="named ?? outputColumns ?? Terminal.usualWidth",
    ),
    Rule(
        "billing retry is drawn differently from expired",
        "Sources/StorekeeperCharts/TimelineChart.swift",
        "TimelinePictureTests",
        statement="segmentStyle = SegmentStyle(answer)",
        instead='segmentStyle = answer.word == "lapsed" ? .lapsed : SegmentStyle(answer)',
    ),
    Rule(
        "an unknown command after help is an error",
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
        "a feature's product that the customer has is not reported as unlisted",
        "Sources/Storekeeper/Store/Store+Diagnostics.swift",
        "NearNamesTests",
        expression="return «!wasBought» && !resolution.isConsumable(id)",
        instead="true",
    ),
    Rule(
        "a renewal info without its transaction does not count: the exit status is 77 if everything else failed",
        "Sources/StorekeeperCLI/Evidence/LoadedEvidence.swift",
        "EvidenceProofTests",
        statement=r"guard isSigned, !somethingCounts, itemResults.contains(where: \.isFailure) else { return nil }",
        instead=r"guard isSigned, transactions.isEmpty, renewalInfos.isEmpty, itemResults.contains(where: \.isFailure) else { return nil }",
    ),
]
