"""Rules about data that is in no output: passwords, private keys, and control characters of terminals."""

from . import Rule

CLIENT = "Sources/StorekeeperPostgres/Client/"

RULES = [
    Rule(
        "the name of a database does not contain the password",
        CLIENT + "ConnectionURI.swift",
        "ConnectionURITests",
        expression='let name = rest[..<end].prefix { «$0 != UInt8(ascii: ":")» }',
        instead="true",
    ),
    Rule(
        "the name of a database does not contain a secret of the query",
        CLIENT + "ConnectionURI.swift",
        "ConnectionURITests",
        expression='Self.open.contains(String(decoding: member.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self))',
        instead="true",
    ),
    Rule(
        "an unquoted password is refused and not read as a host",
        CLIENT + "ConnectionURI.swift",
        "ConnectionURITests",
        expression='!place.contains(UInt8(ascii: "@")), «Self.areHosts(hosts)»',
        instead="true",
    ),
    Rule(
        "a password quoted by the server is in no message",
        CLIENT + "ConnectionSettings.swift",
        "ConnectionURITests",
        expression='secrets.reduce(text) { $0.replacing($1, with: "…") }',
        instead="text",
    ),
    Rule(
        "the description of a key does not contain the key",
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
