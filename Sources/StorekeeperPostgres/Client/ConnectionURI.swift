/// A connection string in the form of a URI, which is parsed here to find the parts that may be printed.
///
/// libpq misinterprets a password with an unescaped `@` or `/`, and then quotes parts of the password in its errors.
/// Therefore a string with such a password is refused before libpq parses it, and the error does not quote the string.
struct ConnectionURI {
    /// The schemes of a connection string that is a URI.
    static let schemes = ["postgresql://", "postgres://"]
    /// The query parameters that may be printed.
    private static let open: Set<String> = [
        "host", "hostaddr", "port", "dbname", "user", "service", "sslmode", "target_session_attrs",
    ]

    /// The string without its password and without query parameters that may be secret.
    let name: String

    /// Parses a string.
    ///
    /// - Returns: `nil` for a string that is not a URI.
    /// - Throws: ``PostgresFailure`` with `badSettings`, whose message does not quote the string.
    init?(_ text: String) throws(PostgresFailure) {
        guard let scheme = Self.schemes.first(where: { text.utf8.starts(with: $0.utf8) }) else { return nil }
        var rest = Array(text.utf8.dropFirst(scheme.utf8.count))[...]
        var user: ArraySlice<UInt8>?
        if let end = rest.firstIndex(where: { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "/") }),
            rest[end] == UInt8(ascii: "@")
        {
            let name = rest[..<end].prefix { $0 != UInt8(ascii: ":") }
            guard !name.contains(UInt8(ascii: "?")) else { throw Self.unquoted }
            user = name
            rest = rest[(end + 1)...]
        }
        let place = rest.prefix { $0 != UInt8(ascii: "?") }
        let hosts = place.prefix { $0 != UInt8(ascii: "/") }
        guard !place.contains(UInt8(ascii: "@")), Self.areHosts(hosts) else { throw Self.unquoted }
        let members = rest.dropFirst(place.count + 1).split(separator: UInt8(ascii: "&")).filter { member in
            Self.open.contains(String(decoding: member.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self))
        }
        let query = members.isEmpty ? [] : [UInt8(ascii: "?")] + members.joined(separator: [UInt8(ascii: "&")])
        let login = user.map { $0 + [UInt8(ascii: "@")] } ?? []
        name = scheme + String(decoding: login + place + query, as: UTF8.self)
    }

    /// Returns whether each part of a list is a host with an optional numeric port.
    ///
    /// Any other text may contain a part of a password.
    private static func areHosts(_ hosts: ArraySlice<UInt8>) -> Bool {
        hosts.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).allSatisfy { host in
            var port = host.drop { $0 != UInt8(ascii: ":") }
            if host.first == UInt8(ascii: "[") {
                guard let end = host.firstIndex(of: UInt8(ascii: "]")) else { return false }
                port = host[(end + 1)...]
                guard port.isEmpty || port.first == UInt8(ascii: ":") else { return false }
            }
            return port.dropFirst().allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        }
    }

    private static let unquoted = PostgresFailure(
        .badSettings,
        "the connection string is malformed; write postgres://USER:PASSWORD@HOST:PORT/DATABASE, and in user and "
            + "password : as %3A, / as %2F, ? as %3F and @ as %40")
}
