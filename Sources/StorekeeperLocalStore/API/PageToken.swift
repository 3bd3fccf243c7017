import Storekeeper

/// A pagination token, which contains the name and parameters of a list, and the position of the last returned element.
///
/// The token is used as the revision of a transaction history and as the token of a notification history. The token is
/// self-contained, so it remains valid after a restart.
struct PageToken: Hashable, Sendable {
    /// The largest position that an element of a list can have.
    private static let lastPlace = Int64(Int32.max)

    /// The name of the list that the token belongs to.
    let subject: String
    /// The query parameters of the request, sorted.
    private let query: String
    /// The position of the last returned element; `nil` before the first page.
    var place: Int?
    /// The instant at which the token was issued; `nil` if the token never expires.
    var issuedAt: Instant?

    init(subject: String, query: [(name: String, value: String)], place: Int?) {
        self.subject = subject
        self.query = query.map { "\($0.name)=\($0.value)" }.sorted().joined(separator: "&")
        self.place = place
    }

    /// Parses a token; `nil` if the text is not a token.
    ///
    /// A token is not signed, so its position may be any number. A position beyond the end of every possible list is
    /// refused.
    init?(_ text: String) {
        guard text.utf8.count <= 16_384, let bytes = Base64URL.decode(text.utf8),
            let document = try? JSONReader(maximumDepth: 4, maximumSize: 16_384).read(bytes),
            let object = document.root.object, let subject = object["s"]?.string, let query = object["q"]?.string
        else { return nil }
        self.subject = subject
        self.query = query
        if let value = object["p"] {
            guard let number = value.int64, (0...Self.lastPlace).contains(number) else { return nil }
            place = Int(number)
        }
        if let value = object["t"] {
            guard let milliseconds = value.int64, let instant = Instant(millisecondsSince1970: milliseconds) else {
                return nil
            }
            issuedAt = instant
        }
    }

    /// The token as text.
    var text: String {
        var members: [String: JSONText] = ["s": .string(subject), "q": .string(query), "p": .whole(place)]
        if let issuedAt { members["t"] = .whole(issuedAt.millisecondsSince1970) }
        return Base64URL.encode(JSONText.object(members).bytes())
    }

    func isOfSameRequest(as other: PageToken) -> Bool { subject == other.subject && query == other.query }
}
