import Storekeeper

/// The body of the HTTP request with which the App Store posts a notification.
///
/// - SeeAlso: Apple, "App Store Server Notifications: responseBodyV2".
struct NotificationBody {
    /// The maximum number of commas in a body, and in the header and payload of its JWS.
    ///
    /// A notification has about forty members; the signed items inside it are strings without commas. Parsing costs
    /// time for each member, so a text with more commas is refused unparsed.
    private static let maximumCommas = 1_000

    /// The notification as compact JWS.
    let signedPayload: String

    /// Parses a body.
    ///
    /// - Parameters:
    ///   - bytes: The body as received.
    ///   - limit: The maximum size in bytes; a longer body is refused without being parsed.
    /// - Throws: ``NotificationRefusal`` with `tooLarge` or `malformedBody`.
    init(_ bytes: [UInt8], limit: Int) throws(NotificationRefusal) {
        guard bytes.count <= limit else {
            throw NotificationRefusal(.tooLarge, "the body has more than \(limit) bytes")
        }
        guard !Self.hasTooManyMembers(bytes) else { throw Self.tooManyMembers }
        guard let document = try? JSONReader(maximumDepth: 8, maximumSize: limit).read(bytes) else {
            throw NotificationRefusal(.malformedBody, "the body is not JSON")
        }
        guard let signedPayload = document.root.object?["signedPayload"]?.string else {
            throw NotificationRefusal(.malformedBody, "the body has no signedPayload that is a string")
        }
        self.signedPayload = signedPayload
    }

    /// Throws ``NotificationRefusal`` with `tooLarge` if the header or payload of a JWS has too many members.
    static func check(_ jws: CompactJWS) throws(NotificationRefusal) {
        for segment in [jws.payloadContent, Base64URL.decode(jws.header.bytes)].compactMap(\.self)
        where hasTooManyMembers(segment) {
            throw tooManyMembers
        }
    }

    private static let tooManyMembers = NotificationRefusal(
        .tooLarge, "it has more members than a notification of the App Store")

    private static func hasTooManyMembers(_ json: [UInt8]) -> Bool {
        json.count(where: { $0 == UInt8(ascii: ",") }) > maximumCommas
    }
}
