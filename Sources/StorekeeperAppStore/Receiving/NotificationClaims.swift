import Storekeeper
import StorekeeperJWS

/// The unverified claims of a refused notification, used only in logs.
package struct NotificationClaims: Hashable, Sendable {
    /// The type of the notification, such as `DID_RENEW`.
    package let type: String?
    /// The environment that the notification claims to be from.
    package let environment: String?
    /// The bundle id of the app that the notification claims to be about.
    package let bundleID: String?

    private static let longestWord = 128

    /// Reads the claims in the body of a request; `nil` if the body contains no readable payload.
    package init?(_ body: [UInt8]) {
        guard let text = try? NotificationBody(body, limit: 1 << 20).signedPayload,
            let jws = CompactJWS(text), (try? NotificationBody.check(jws)) != nil,
            let content = jws.payloadContent, let document = try? JSONReader().read(content),
            let payload = document.root.object
        else { return nil }
        let parts = ["data", "summary", "appData", "externalPurchaseToken"].compactMap { payload[$0]?.object }
        type = Self.word(payload["notificationType"]?.string)
        environment = Self.word(parts.lazy.compactMap { $0["environment"]?.string }.first)
        bundleID = Self.word(parts.lazy.compactMap { $0["bundleId"]?.string }.first)
    }

    /// Returns a text if it is safe to log: it must be short, and consist of printable ASCII characters without spaces.
    private static func word(_ text: String?) -> String? {
        guard let text, !text.isEmpty, text.utf8.count <= longestWord,
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        return text
    }
}
