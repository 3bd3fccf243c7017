"""Rules of the exit statuses, which scripts read."""

from . import Rule

CLI = "Sources/StorekeeperCLI/"

RULES = [
    Rule(
        "check ends with 1 when the answer is no",
        CLI + "Answers/AnswerLine.swift",
        "CheckCommandTests",
        expression="case .pending, .lapsed, .never: «.no»",
        instead=".success",
    ),
    Rule(
        "check ends with 3 if the answer is unknown",
        CLI + "Answers/AnswerLine.swift",
        "CheckCommandTests",
        expression="case .unknown: «.unknown»",
        instead=".no",
    ),
    Rule(
        "entirely malformed evidence ends with 65",
        CLI + "Evidence/LoadedEvidence.swift",
        "EvidenceProofTests|EntitlementsEvidenceTests",
        expression='«.malformedInput», "nothing in the evidence could be read"',
        instead=".refused",
    ),
    Rule(
        "evidence without a verified item ends with 77",
        CLI + "Evidence/LoadedEvidence.swift",
        "EvidenceProofTests|EntitlementsEvidenceTests",
        expression='«.refused», "no evidence could be verified"',
        instead=".malformedInput",
    ),
    Rule(
        "a file that cannot be read ends with 66",
        CLI + "Input/InputFile.swift",
        "UsageTests/wrongCall",
        expression='«.unreadableFile», "the file cannot be read',
        instead=".usage",
    ),
    Rule(
        "a result that cannot be written ends with 73",
        CLI + "CommandLineTool.swift",
        "UsageTests/fullDisk",
        expression='«.unwritableFile», "the result cannot be written',
        instead=".bug",
    ),
    Rule(
        "wrong usage ends with 64",
        CLI + "CommandLineTool.swift",
        "UsageTests/wrongCall",
        expression="console.errors.line(line.description)\n        return «.usage»",
        instead=".bug",
    ),
    Rule(
        "a negative number is not a missing argument",
        CLI + "CommandLineTool.swift",
        "UsageTests/wrongCall",
        expression='$0.hasPrefix("-") && «Double($0) != nil»',
        instead="false",
    ),
    Rule(
        "a quantity is at least 1",
        CLI + "Options/BalanceRequestOptions.swift",
        "VaultUsageTests",
        expression="quantity >= 1",
        instead="true",
    ),
    Rule(
        "a port in use ends with 69",
        CLI + "Output/CommandError+Listening.swift",
        "ListeningTests",
        expression=".unreachableService",
        instead=".malformedInput",
    ),
    Rule(
        "a refused spend ends with 1",
        CLI + "Vault/BalanceMove.swift",
        "VaultAccountTests",
        expression='were requested.", on: console)\n            return «.no»',
        instead=".success",
    ),
    Rule(
        "an import of another customer's evidence ends with 1",
        CLI + "Commands/Vault/VaultImportCommand.swift",
        "VaultClaimTests|VaultTokenTests",
        expression="return «report.hasConflicts» || !report.uncredited.isEmpty",
        instead="false",
    ),
    Rule(
        "a vault with faults ends with 1",
        CLI + "Commands/Vault/VaultVerifyCommand.swift",
        "VaultVerifyTests",
        expression="report.faults.isEmpty ? .success : «.no»",
        instead=".success",
    ),
    Rule(
        "a key that the App Store refuses ends with 77",
        CLI + "AppStore/AppStoreConnection.swift",
        "FetchCommandTests",
        expression='self.init(«.refused», error.message, at: place, "check --key-id',
        instead=".unreachableService",
    ),
]
