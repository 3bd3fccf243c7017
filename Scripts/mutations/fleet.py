"""Rules of a vault in PostgreSQL that keep what was acknowledged."""

from . import Rule

RULES = [
    Rule(
        "customers are locked in one order",
        "Sources/StorekeeperPostgres/Loading/LoadStatements.swift",
        "FleetModelTests",
        expression='"ORDER BY c.id FOR UPDATE OF c"',
        instead='"ORDER BY random() FOR UPDATE OF c"',
    ),
    Rule(
        "who has come into being since the locks were taken is locked before they are written about",
        "Sources/StorekeeperPostgres/Vault/PostgresSession.swift",
        "StepRaceTests/creation",
        expression="!locks.isEmpty && tables.list[first.count - 1].count < loaded.homes.customers.count",
        instead="false",
    ),
    Rule(
        "what was read before its locks were had is read again",
        "Sources/StorekeeperPostgres/Vault/PostgresSession.swift",
        "StepRaceTests/lateLock",
        expression="!isReadOnly && !isFirst && footprint.anyCustomer != nil",
        instead="false",
    ),
    Rule(
        "places are taken from a row that is locked up to the commit",
        "Sources/StorekeeperPostgres/Writing/Difference.swift",
        "FeedOrderTests/overtaking",
        expression="WriteStatements.takePlaces",
        instead="WriteStatements.readPlaces",
    ),
    Rule(
        "whose a chain is, is looked at again under a lock",
        "Sources/StorekeeperPostgres/Writing/Difference.swift",
        "StepRaceTests/erasureBesideParking",
        expression="guardCall(stamps)",
        instead="guardCall([:])",
    ),
    Rule(
        "a group notes its name with what it writes",
        "Sources/StorekeeperPostgres/Vault/PostgresSession.swift",
        "CutConnectionTests/cuts",
        expression="[.bytes(id.bytes), .int(storage.now().millisecondsSince1970), .int(placeCount)]",
        instead="[.bytes(StepID.random.bytes), .int(storage.now().millisecondsSince1970), .int(placeCount)]",
    ),
    Rule(
        "a commit that nobody has answered is in doubt",
        "Sources/StorekeeperPostgres/Client/Connection.swift",
        "CutConnectionTests/cuts",
        statement="case .undecided, .done: «return PostgresFailure(.inDoubt, sqlState: failure.sqlState, failure.message)»",
        instead="return failure",
    ),
    Rule(
        "a commit that was answered is done, whatever becomes of the connection",
        "Sources/StorekeeperPostgres/Client/Connection.swift",
        "CutConnectionTests/cuts",
        expression="!run.isAnswered",
        instead="true",
    ),
    Rule(
        "a commit that the server warns of is in doubt",
        "Sources/StorekeeperPostgres/Client/Connection.swift",
        "SynchronousCommitTests",
        expression="notices.warnings.first",
        instead="notices.warnings.first.flatMap { _ in nil }",
    ),
    Rule(
        "what is found of a step in doubt is made durable before it is acknowledged",
        "Sources/StorekeeperPostgres/Vault/PostgresStorage+Doubt.swift",
        "SynchronousCommitTests/vault",
        expression="Self.claimGroup, arguments, within: left",
        instead="Self.findGroup, arguments, within: left",
    ),
    Rule(
        "whoever asks for a step in vain keeps a late call out",
        "Sources/StorekeeperPostgres/Vault/PostgresStorage+Doubt.swift",
        "StepRaceTests/lateStep",
        expression='"RETURNING s.first IS NULL"',
        instead='"RETURNING s.first IS NULL"',
    ),
    Rule(
        "with a new connection it is doubted which headers the database has",
        "Sources/StorekeeperPostgres/Loading/HeaderSegments.swift",
        "FailoverTests/cutOff",
        statement="state.written = []\n            state.era += 1",
        instead="",
    ),
]
