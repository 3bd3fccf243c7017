"""Rules of the vault's files, and of those who wait for each other."""

from . import Rule

RULES = [
    Rule(
        "a customer whose announcement fails again waits twice as long",
        "Sources/Storekeeper/Store/StoreService.swift",
        "StorePoolTests",
        expression="failed[customer] ?? BackoffSchedule(backoff, salt: .announcement, number: UInt64(failed.count))",
        instead="BackoffSchedule(backoff, salt: .announcement, number: UInt64(failed.count))",
    ),
    Rule(
        "what does not add up because somebody was erased meanwhile is added up again at one moment",
        "Sources/Storekeeper/Vault/VaultAudit.swift",
        "VaultAuditTests",
        expression="!counts.agree",
        instead="false",
    ),
    Rule(
        "a token in what is parked of a chain decides who may claim the chain",
        "Sources/Storekeeper/Vault/VaultRules.swift",
        "ParkTests",
        expression="try parkedWithToken(of: chain, in: tables)",
        instead="VerifiedFact?.none",
    ),
    Rule(
        "a file whose tables are views is no vault",
        "Sources/StorekeeperSQLite/Vault/VaultOpening.swift",
        "PathTests",
        expression="try connection.number(strange) == 0",
        instead="true",
    ),
    Rule(
        "bytes of an erasure that somebody still reads are told of",
        "Sources/StorekeeperSQLite/Commits/CommitQueue.swift",
        "SharingTests",
        expression="!isEmpty",
        instead="false",
    ),
    Rule(
        "the name of who was erased is hashed with a secret that is not in the file",
        "Sources/StorekeeperSQLite/Tables/SQLiteTables+Erasure.swift",
        "ErasureSecretTests",
        expression="secret.digest(of: customer, salt: salt)",
        instead="ErasureRow.openDigest(of: customer, salt: salt)",
    ),
    Rule(
        "a vault's files are their owner's alone",
        "Sources/StorekeeperSQLite/Files/SystemFile.swift",
        "PathTests",
        expression="0o600",
        instead="0o644",
    ),
    Rule(
        "a path is a file's path and never a URI",
        "Sources/StorekeeperSQLite/Files/VaultFile.swift",
        "PathTests",
        expression='path.utf8.first == UInt8(ascii: "/") ? path : "./" + path',
        instead="path",
    ),
    Rule(
        "a copy has no log beside it",
        "Sources/StorekeeperSQLite/Vault/SQLiteVault+Backup.swift",
        "PathTests",
        expression='sqlite3_exec(connection, "PRAGMA journal_mode = DELETE", nil, nil, nil)',
        instead="SQLITE_OK",
    ),
    Rule(
        "a step has the lock of those who write before it reads what it changes",
        "Sources/StorekeeperSQLite/Commits/CommitQueue.swift",
        "CommitQueueTests",
        expression='Query("BEGIN IMMEDIATE")',
        instead='Query("BEGIN")',
    ),
    Rule(
        "whoever waits is woken when something comes",
        "Sources/Storekeeper/Ports/ChangeSignal.swift",
        "VaultFeedTests/sleeping",
        statement="for waiter in woken.values { waiter.resume() }",
        instead="",
    ),
    Rule(
        "what comes while a feed reads the vault is not slept over",
        "Sources/Storekeeper/Feed/VaultFeed.swift",
        "VaultFeedTests/whileReading",
        expression="feed.signal.wait(after: «seen»)",
        instead="feed.signal.count + seen * 0",
    ),
]
