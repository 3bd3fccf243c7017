"""Rules of what stands in no output: passwords, private keys, and what moves a terminal's cursor."""

from . import Rule

CLIENT = "Sources/StorekeeperPostgres/Client/"

RULES = [
    Rule(
        "the password of a user does not stand in the name of a database",
        CLIENT + "ConnectionURI.swift",
        "ConnectionURITests",
        expression='let name = rest[..<end].prefix { «$0 != UInt8(ascii: ":")» }',
        instead="true",
    ),
    Rule(
        "a secret in the query does not stand in the name of a database",
        CLIENT + "ConnectionURI.swift",
        "ConnectionURITests",
        expression='Self.open.contains(String(decoding: member.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self))',
        instead="true",
    ),
    Rule(
        "a password that is not quoted is refused and not taken for a host",
        CLIENT + "ConnectionURI.swift",
        "ConnectionURITests",
        expression='!place.contains(UInt8(ascii: "@")), «Self.arePlaces(hosts)»',
        instead="true",
    ),
    Rule(
        "a password that the server quotes stands in no message",
        CLIENT + "ConnectionSettings.swift",
        "ConnectionURITests",
        expression='secrets.reduce(text) { $0.replacing($1, with: "…") }',
        instead="text",
    ),
    Rule(
        "the description of a key does not hold the key",
        "Sources/StorekeeperAppStore/Tokens/AppStoreKey.swift",
        "TokenTests",
        expression='"AppStoreKey(keyID: \\(keyID), issuerID: \\(issuerID), privateKey: redacted)"',
        instead='"AppStoreKey(keyID: \\(keyID), privateKey: \\(privateKey.pemRepresentation))"',
    ),
    Rule(
        "control characters of an argument do not reach the terminal",
        "Sources/StorekeeperCLI/Output/CommandError.swift",
        "UsageTests/controlCharacters",
        expression='«Self.isControl(scalar)» ? " " : scalar',
        instead="false",
    ),
]
