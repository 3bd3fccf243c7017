"""Rules of the companion service: who may ask for what, and what is told."""

from . import Rule

SERVICE = "Sources/StorekeeperServer/Companion/"
ACCESS = "Sources/StorekeeperServer/Access/AccessKeys.swift"

RULES = [
    Rule(
        "a key does no more than its scope says",
        ACCESS,
        "CompanionServiceTests/access",
        expression="key.caller.scope >= scope",
        instead="true",
    ),
    Rule(
        "a key that nobody was given opens nothing",
        ACCESS,
        "CompanionServiceTests/access",
        expression="digest == key.hash",
        instead="true",
    ),
    Rule(
        "a program does not type its key",
        ACCESS,
        "DeskTests/keys",
        expression='case "basic" where «isPerson»',
        instead="true",
    ),
    Rule(
        "a key with a rate asks no oftener",
        ACCESS,
        "CompanionServiceTests/rate",
        expression="bucket.tokens >= 1",
        instead="true",
    ),
    Rule(
        "who may only check moves no balance",
        SERVICE + "CompanionRoute.swift",
        "CompanionServiceTests/scopes",
        expression="case .transactions, .spend, .grant: «.spend»",
        instead=".check",
    ),
    Rule(
        "who may only spend erases nobody",
        SERVICE + "CompanionRoute.swift",
        "CompanionServiceTests/scopes",
        expression="case .claims, .export, .erase, .parked, .events, .desk, .deskTimeline: «.admin»",
        instead=".spend",
    ),
    Rule(
        "a lease ends with its first feature",
        "Sources/StorekeeperServer/Leases/EntitlementLease.swift",
        "LeaseTests/end",
        expression="ends.reduce(now.adding(milliseconds: life), min)",
        instead="now.adding(milliseconds: life)",
    ),
    Rule(
        "a misspelt parameter is refused",
        SERVICE + "CompanionQuestion.swift",
        "CompanionServiceTests/problems",
        expression="for (name, _) in parameters where «!names.contains(name)»",
        instead="false",
    ),
    Rule(
        "a parameter is given once",
        SERVICE + "CompanionQuestion.swift",
        "CompanionServiceTests/problems",
        expression="values.count <= 1",
        instead="true",
    ),
    Rule(
        "an id that not every vault can keep is refused",
        SERVICE + "CompanionQuestion.swift",
        "CompanionServiceTests/problems",
        expression="id.utf8.contains(0)",
        instead="false",
    ),
    Rule(
        "an id in a path is percent-decoded",
        SERVICE + "CompanionService.swift",
        "CompanionServiceTests",
        expression="Substring(rest[start...]).removingPercentEncoding",
        instead="String?.some(String(Substring(rest[start...])))",
    ),
    Rule(
        "a movement has a key",
        SERVICE + "CompanionService+Accounts.swift",
        "CompanionServiceTests/money",
        expression="!key.isEmpty, «key.utf8.count <= 256»",
        instead="true",
    ),
    Rule(
        "who was erased is not answered from memory",
        SERVICE + "CompanionService+Custody.swift",
        "CompanionServiceTests/erasure",
        statement="_ = try await pool.withStore(customer) { try await $0.refresh() }",
        instead="",
    ),
    Rule(
        "where the desk is off there is none",
        SERVICE + "CompanionService+Desk.swift",
        "DeskTests/off",
        expression="func desk(_ question: CompanionQuestion) async throws -> Response {\n        guard «hasDesk»",
        instead="true",
    ),
    Rule(
        "what others have written about somebody in memory is taken over",
        "Sources/Storekeeper/Store/StoreService.swift",
        "StorePoolTests/takesOver",
        expression="await store.isBehind(newest)",
        instead="false",
    ),
    Rule(
        "a vault that fails is an error in the log",
        "Sources/StorekeeperCLI/Companion/StoreReport+Log.swift",
        "CompanionCommandTests/levels",
        expression="case .vaultFailed: «.error»",
        instead=".info",
    ),
]
