import Storekeeper
import StorekeeperJWS

/// The unverified claims of a notification, only for logging a refusal.
package struct NotificationClaims: Hashable, Sendable {
    /// Its type, such as `DID_RENEW`.
    package let type: String?
    /// The environment that it claims.
    package let environment: String?
    /// The app that it claims to be about.
    package let bundleID: String?

    private static let longestWord = 128

    /// Reads the body of a request; `nil` if it carries no payload that can be read.
    package init?(_ body: [UInt8]) {
        guard let text = try? NotificationBody(body, limit: 1 << 20).signedPayload,
            let content = CompactJWS(text)?.payloadContent, let document = try? JSONReader().read(content),
            let payload = document.root.object
        else { return nil }
        let parts = ["data", "summary", "appData", "externalPurchaseToken"].compactMap { payload[$0]?.object }
        type = Self.word(payload["notificationType"]?.string)
        environment = Self.word(parts.lazy.compactMap { $0["environment"]?.string }.first)
        bundleID = Self.word(parts.lazy.compactMap { $0["bundleId"]?.string }.first)
    }

    /// Returns a word that is safe to log.
    private static func word(_ text: String?) -> String? {
        guard let text, !text.isEmpty, text.utf8.count <= longestWord,
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        return text
    }
}
