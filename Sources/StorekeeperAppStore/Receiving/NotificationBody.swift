import Storekeeper

/// The body of the HTTP request with which the App Store posts a notification.
///
/// - SeeAlso: Apple, "App Store Server Notifications: responseBodyV2".
struct NotificationBody {
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
        guard let document = try? JSONReader(maximumDepth: 8, maximumSize: limit).read(bytes) else {
            throw NotificationRefusal(.malformedBody, "the body is not JSON")
        }
        guard let signedPayload = document.root.object?["signedPayload"]?.string else {
            throw NotificationRefusal(.malformedBody, "the body has no signedPayload that is a string")
        }
        self.signedPayload = signedPayload
    }
}
