"""Rules of the chain of links, of bytes, of ownership and of archives."""

from . import Rule

RULES = [
    Rule(
        "a link is sealed with the hash of the one before",
        "Sources/StorekeeperSQLite/Integrity/IntegrityCheck+Links.swift",
        "VaultTamperingTests",
        expression="stored.link.previous != walk.head",
        instead="false",
    ),
    Rule(
        "a chain that does not end at its noted head was cut",
        "Sources/StorekeeperSQLite/Integrity/IntegrityCheck+Links.swift",
        "VaultTamperingTests",
        expression="chain.headSequence != walk.headSequence || chain.headHash != walk.head",
        instead="false",
    ),
    Rule(
        "a head that was kept elsewhere must still be in the chain",
        "Sources/StorekeeperSQLite/Integrity/IntegrityCheck+Links.swift",
        "VaultTamperingTests",
        expression="!walk.isFound",
        instead="false",
    ),
    Rule(
        "a count of rows far ahead of the last row was set by other hands",
        "Sources/StorekeeperSQLite/Integrity/IntegrityCheck+Links.swift",
        "VaultTamperingTests",
        expression="chain.sequence < 0 || chain.sequence &- last > Self.plausibleGap",
        instead="false",
    ),
    Rule(
        "a table of other hands is found",
        "Sources/StorekeeperSQLite/Schema/SchemaCheck.swift",
        "VaultTamperingTests",
        expression="!own.utf8.elementsEqual(sql.utf8)",
        instead="false",
    ),
    Rule(
        "names that only look alike are two",
        "Sources/StorekeeperEngine/Vocabulary/ByteIdentifier.swift",
        "VaultConformanceTests|InMemoryVaultTests",
        expression="left.rawValue.hasSameBytes(as: right.rawValue)",
        instead="(left.rawValue == right.rawValue)",
    ),
    Rule(
        "where customers' ids are UUIDs, a token that is not theirs is another's, heard of or not",
        "Sources/Storekeeper/Ownership/Ownership.swift",
        "VaultConformanceTests|InMemoryVaultTests",
        expression="customer.uuid != nil",
        instead="false",
    ),
    Rule(
        "a purchase that no balance can hold is told",
        "Sources/Storekeeper/Vault/Account.swift",
        "StoreIntakeTests",
        statement="uncredited.append(key)",
        instead="",
    ),
    Rule(
        "a spend of an archive takes no more than there was",
        "Sources/Storekeeper/Vault/AccountAudit.swift",
        "MadeUpArchiveTests",
        expression="balance.amount < 0",
        instead="false",
    ),
    Rule(
        "a refund that an archive has left out is settled",
        "Sources/Storekeeper/Archive/VaultRules+Restoring.swift",
        "MadeUpArchiveTests",
        statement="try adjust(batch, of: customer, isNew: known == nil, in: &tables, &receipt)",
        instead="",
    ),
]
