"""Rules of the chain of links, of bytes, of ownership and of archives."""

from . import Rule

RULES = [
    Rule(
        "a link contains the hash of the previous link",
        "Sources/StorekeeperSQLite/Integrity/IntegrityCheck+Links.swift",
        "VaultTamperingTests",
        expression="stored.link.previous != walk.head",
        instead="false",
    ),
    Rule(
        "a chain that does not end at its stored head was truncated",
        "Sources/StorekeeperSQLite/Integrity/IntegrityCheck+Links.swift",
        "VaultTamperingTests",
        expression="chain.headSequence != walk.headSequence || chain.headHash != walk.head",
        instead="false",
    ),
    Rule(
        "a head stored elsewhere must still be in the chain",
        "Sources/StorekeeperSQLite/Integrity/IntegrityCheck+Links.swift",
        "VaultTamperingTests",
        expression="!walk.isFound",
        instead="false",
    ),
    Rule(
        "a row counter far ahead of the last row was changed by another program",
        "Sources/StorekeeperSQLite/Integrity/IntegrityCheck+Links.swift",
        "VaultTamperingTests",
        expression="chain.sequence < 0 || chain.sequence &- last > Self.plausibleGap",
        instead="false",
    ),
    Rule(
        "a table added by another program is found",
        "Sources/StorekeeperSQLite/Schema/SchemaCheck.swift",
        "VaultTamperingTests",
        expression="!own.utf8.elementsEqual(sql.utf8)",
        instead="false",
    ),
    Rule(
        "names that only look alike are different",
        "Sources/StorekeeperEngine/Vocabulary/ByteIdentifier.swift",
        "VaultConformanceTests|InMemoryVaultTests",
        expression="left.rawValue.hasSameBytes(as: right.rawValue)",
        instead="(left.rawValue == right.rawValue)",
    ),
    Rule(
        "if customers' ids are UUIDs, a foreign token belongs to another customer, known or not",
        "Sources/Storekeeper/Ownership/Ownership.swift",
        "VaultConformanceTests|InMemoryVaultTests",
        expression="customer.uuid != nil",
        instead="false",
    ),
    Rule(
        "a store presumes that its customer's tokens are the customer's",
        "Sources/Storekeeper/Ownership/OwnersInMemory.swift",
        "CustomerStateTests",
        expression="tokens.contains(token) ? customer : nil",
        instead="nil",
    ),
    Rule(
        "an opaque token gives nothing to a new customer whose id it is",
        "Sources/Storekeeper/Vault/VaultRules.swift",
        "StorePoolTests",
        expression="tables.accountTokens.token(naming: row.id)",
        instead="row.id.uuid",
    ),
    Rule(
        "a purchase that overflows its balance is reported",
        "Sources/Storekeeper/Vault/Account.swift",
        "StoreIngestTests",
        statement="uncredited.append(key)",
        instead="",
    ),
    Rule(
        "a spend of an archive does not exceed the balance",
        "Sources/Storekeeper/Vault/AccountAudit.swift",
        "ForgedArchiveTests",
        expression="balance.amount < 0",
        instead="false",
    ),
    Rule(
        "a refund missing in an archive is settled",
        "Sources/Storekeeper/Archive/VaultRules+Restoring.swift",
        "ForgedArchiveTests",
        statement="try adjust(batch, of: customer, isNew: known == nil, in: &tables, &receipt)",
        instead="",
    ),
]
