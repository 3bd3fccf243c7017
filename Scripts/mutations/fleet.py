"""Rules of a vault in PostgreSQL that many nodes write to, and that servers and connections fail under."""

from . import Rule

RULES = [
    Rule(
        "customers are locked in one order",
        "Sources/StorekeeperPostgres/Loading/LoadStatements.swift",
        "FleetModelTests",
        expression='"ORDER BY c.id"',
        instead='"ORDER BY random()"',
    ),
    Rule(
        "who has come into being since the locks were taken is locked before they are written about",
        "Sources/StorekeeperPostgres/Vault/PostgresSession.swift",
        "StepRaceTests/creation",
        expression="tables.list[first.count - 1].count < loaded.homes.customers.count",
        instead="false",
    ),
    Rule(
        "what was read before its locks were had is read again",
        "Sources/StorekeeperPostgres/Vault/PostgresSession.swift",
        "StepRaceTests/lateLock",
        expression="footprint.anyCustomer != nil",
        instead="false",
    ),
    Rule(
        "whose a chain is, is looked at again under a lock",
        "Sources/StorekeeperPostgres/Writing/Difference.swift",
        "StepRaceTests/erasureBesideParking",
        expression="guardCall(stamps)",
        instead="guardCall([:])",
    ),
    Rule(
        "readers stop before the places that somebody may still write",
        "Sources/StorekeeperPostgres/Writing/FeedTicket.swift",
        "FeedTicketTests/readers",
        expression='"(SELECT coalesce(min(place), 9223372036854775807) FROM storekeeper.ticket)"',
        instead='"9223372036854775807"',
    ),
    Rule(
        "places of a customer come in the order of the writes",
        "Sources/StorekeeperPostgres/Writing/FeedTicket.swift",
        "FeedTicketTests/order",
        expression="last < place",
        instead="last >= 0",
    ),
    Rule(
        "who was not there to be erased is left alone",
        "Sources/StorekeeperPostgres/Writing/Difference+Removals.swift",
        "StepRaceTests/erasureOfNobody",
        expression="isThere(draft.customer)",
        instead="true",
    ),
    Rule(
        "a group writes down its name with what it writes",
        "Sources/StorekeeperPostgres/Writing/Difference.swift",
        "CutConnectionTests/cuts",
        expression=".bytes(id.bytes)",
        instead=".bytes(Digests.salt())",
    ),
    Rule(
        "a commit that nobody has answered is in doubt",
        "Sources/StorekeeperPostgres/Client/Connection.swift",
        "CutConnectionTests/cuts",
        expression="PostgresFailure(.inDoubt, sqlState: failure.sqlState, failure.message)",
        instead="failure",
    ),
    Rule(
        "a commit that the server warns of is in doubt",
        "Sources/StorekeeperPostgres/Client/Connection.swift",
        "SynchronousCommitTests",
        expression="notices.warnings.first",
        instead="notices.warnings.first { _ in false }",
    ),
    Rule(
        "what is found of a step in doubt is made durable before it is acknowledged",
        "Sources/StorekeeperPostgres/Vault/PostgresStorage+Doubt.swift",
        "SynchronousCommitTests/vault",
        expression="Self.claimGroup",
        instead='Statement("SELECT first FROM storekeeper.step WHERE id = $1 AND $2::bigint > 0")',
    ),
    Rule(
        "whoever asks for a step in vain keeps a late call out",
        "Sources/StorekeeperPostgres/Vault/PostgresStorage+Doubt.swift",
        "StepRaceTests/lateStep",
        expression="Self.claimStep",
        instead='Statement("SELECT count(*) > 0 FROM storekeeper.step WHERE id = $1 AND $2::bigint + $3::bigint <> 0")',
    ),
    Rule(
        "over a new connection nobody is sure which headers the database has",
        "Sources/StorekeeperPostgres/Vault/PostgresStorage.swift",
        "FailoverTests/cutOff",
        expression="headers.doubtWritten()",
        instead="()",
    ),
    Rule(
        "a server does not wait long for a node that has fallen silent in a step",
        "Sources/StorekeeperPostgres/Client/ConnectionSettings.swift",
        "StepRaceTests/silence",
        expression="max(1, patience / .milliseconds(1))",
        instead="0",
    ),
]
