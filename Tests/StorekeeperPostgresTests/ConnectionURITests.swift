import Testing

@testable import StorekeeperPostgres

@Suite("The name of a database") struct ConnectionURITests {
    static let names: [(text: String, name: String)] = [
        ("postgres://host/game", "postgres://host/game"), ("postgresql://host", "postgresql://host"),
        ("postgres://anna@host:5432/game", "postgres://anna@host:5432/game"),
        ("postgres://anna:secret@host/game", "postgres://anna@host/game"),
        ("postgres://anna:@host/game", "postgres://anna@host/game"),
        ("postgres://:secret@host/game", "postgres://@host/game"),
        ("postgres://anna:s%40c%2Fret@h1:1,h2:2/game", "postgres://anna@h1:1,h2:2/game"),
        ("postgres://anna:secret@[::1]:5432/game", "postgres://anna@[::1]:5432/game"),
        ("postgres://anna:sec?ret@host/game", "postgres://anna@host/game"),
        (
            "postgres://host/game?password=secret&sslmode=require&sslpassword=secret",
            "postgres://host/game?sslmode=require"
        ),
        ("postgres:///?service=game&passfile=/secret", "postgres:///?service=game"),
        ("postgres://%2Frun%2Fpostgresql/game", "postgres://%2Frun%2Fpostgresql/game"), ("postgres://", "postgres://"),
        ("postgres://\u{301}anna:secret@host/game", "postgres://\u{301}anna@host/game"),
    ]

    @Test("The name of a database is its connection string without the secrets", arguments: names)
    func name(text: String, name: String) throws {
        #expect(try ConnectionSettings(text).name == name)
    }

    static let refused = [
        "postgres://anna:secret", "postgres://anna:sec/ret@host/game", "postgres://anna:sec@ret@host/game",
        "postgres://anna:secret/game", "postgres://anna?password=secret@host/game", "postgres://[::1/game",
        "postgres://[::1]secret/game", "postgres://a:1:secret/game",
    ]

    @Test("A string that libpq would split differently than intended is refused and not quoted", arguments: refused)
    func refusal(text: String) {
        let failure = #expect(throws: PostgresFailure.self) { try ConnectionSettings(text) }
        #expect(failure?.kind == .badSettings)
        #expect(failure?.message.contains("secret") == false)
    }

    @Test("Passwords are removed from messages that quote them")
    func scrubbing() throws {
        let settings = try ConnectionSettings("postgres://anna:hunter2@host/game?sslpassword=other1")
        #expect(settings.withoutSecrets("no \"hunter2\", no other1, anna") == "no \"…\", no …, anna")
        // A combining mark after a password, and a letter that joins its first character, hide nothing.
        #expect(settings.withoutSecrets("hunter2\u{301}, \u{600}other1") == "…\u{301}, \u{600}…")
        #expect(try ConnectionSettings("host=h password=hunter2 dbname=d").name == "h, database d")
    }

    @Test("A reason of libpq ends before a quotation, also before one that begins with a combining mark")
    func quotation() {
        let failure = #expect(throws: PostgresFailure.self) { try ConnectionSettings("host=h \u{301}secret=x") }
        #expect(failure?.message.utf8.contains("secret".utf8) == false)
    }
}
