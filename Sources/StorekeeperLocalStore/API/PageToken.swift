import Storekeeper

/// Where a list goes on, and of which request: revisions of histories and pagination tokens of notifications.
///
/// It holds all it means, so that it is good after a restart, too.
struct PageToken: Hashable, Sendable {
    /// What is listed.
    let subject: String
    /// The parameters of the request, in one order.
    private let query: String
    /// The last place that was listed; `nil`: none.
    var place: Int?

    init(subject: String, query: [(name: String, value: String)], place: Int?) {
        self.subject = subject
        self.query = query.map { "\($0.name)=\($0.value)" }.sorted().joined(separator: "&")
        self.place = place
    }

    /// Reads a token; `nil` for what is none.
    init?(_ text: String) {
        guard text.utf8.count <= 16_384, let bytes = Base64URL.decode(text.utf8),
            let document = try? JSONReader(maximumDepth: 4, maximumSize: 16_384).read(bytes),
            let object = document.root.object, let subject = object["s"]?.string, let query = object["q"]?.string
        else { return nil }
        self.subject = subject
        self.query = query
        if let value = object["p"] {
            guard let number = value.int64, let place = Int(exactly: number) else { return nil }
            self.place = place
        }
    }

    /// The token as text.
    var text: String {
        Base64URL.encode(
            JSONText.object(["s": .string(subject), "q": .string(query), "p": .whole(place)]).bytes())
    }

    func isOfSameRequest(as other: PageToken) -> Bool { subject == other.subject && query == other.query }
}
