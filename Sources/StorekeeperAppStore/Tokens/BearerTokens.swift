import JWTKit
public import Storekeeper
import Synchronization

/// The bearer tokens that a server sends to the App Store with each request.
///
/// A token is used for all requests until only a fifth of its lifetime is left. Concurrent callers that need a new
/// token wait for the same signing operation.
///
/// - SeeAlso: Apple, "Generating JSON Web Tokens for API requests".
public final class BearerTokens: Sendable {
    /// The allowed lifetimes of tokens, in seconds; the App Store accepts at most an hour.
    static let lifetimes: ClosedRange<Int64> = 60...3600

    /// The claims of a token; times are whole seconds since 1970.
    struct Claims: JWTPayload {
        let iss: String
        let iat: Int64
        let exp: Int64
        let aud: String
        let bid: String

        /// Does nothing, because the recipient of a token checks whether the token is still valid.
        func verify(using algorithm: some JWTAlgorithm) async throws {}
    }

    private struct Token {
        let text: String
        let renewedAt: Instant
        let signedAt: Instant
    }

    private let signer: TokenSigner
    private let bundleID: String
    private let clock: any StoreClock
    private let lifetime: Int64
    private let current = Mutex<Token?>(nil)
    private let signing = SingleFlight<Bool, String>()
    private let signed = Mutex(0)

    /// Creates a source of tokens.
    ///
    /// - Parameters:
    ///   - key: The key that signs the tokens.
    ///   - bundleID: The bundle id of the app whose requests use the tokens.
    ///   - lifetime: The lifetime of each token. A value below one minute or above one hour is clamped.
    ///   - clock: The clock; if it is wrong by more than a few minutes, the App Store refuses the tokens.
    public init(key: AppStoreKey, bundleID: String, lifetime: Duration = .seconds(1200), clock: any StoreClock) {
        signer = TokenSigner(key: key)
        self.bundleID = bundleID
        self.clock = clock
        self.lifetime = min(
            max(lifetime.milliseconds / 1000, Self.lifetimes.lowerBound), Self.lifetimes.upperBound)
    }

    /// The number of tokens signed so far.
    var signedCount: Int { signed.withLock { $0 } }

    /// Returns a token with at least about a fifth of its lifetime left.
    ///
    /// - Throws: `signingFailed`; `CancellationError`.
    func token() async throws -> String {
        if let token = usable() { return token }
        return try await signing.run(true) {
            // Another caller may have renewed the token since the check above.
            if let token = self.usable() { return token }
            return try await self.sign()
        }
    }

    /// Discards the current token if it is the token that the App Store has refused.
    func discard(_ text: String) {
        current.withLock { if $0?.text == text { $0 = nil } }
    }

    private func usable() -> String? {
        let now = clock.now
        // If the clock was set back after the signing, the issue time of the token is in the future, and the App Store
        // would refuse the token.
        return current.withLock { token in
            guard let token, now < token.renewedAt, now >= token.signedAt else { return nil }
            return token.text
        }
    }

    private func sign() async throws -> String {
        let now = clock.now
        let issuedAt = CivilSeconds.whole(now)
        let claims = Claims(
            iss: signer.key.issuerID, iat: issuedAt, exp: issuedAt + lifetime, aud: "appstoreconnect-v1", bid: bundleID)
        let text = try await signer.sign(claims)
        signed.withLock { $0 += 1 }
        // The last fifth of the lifetime is not used, because requests take time and clocks differ.
        let renewedAt = now.adding(milliseconds: lifetime * 800)
        current.withLock { $0 = Token(text: text, renewedAt: renewedAt, signedAt: now) }
        return text
    }
}

/// Converts instants to whole seconds, the unit of the times in tokens.
enum CivilSeconds {
    /// Returns the number of seconds from 1970 to an instant, rounded down.
    static func whole(_ instant: Instant) -> Int64 {
        let milliseconds = instant.millisecondsSince1970
        return milliseconds >= 0 ? milliseconds / 1000 : (milliseconds - 999) / 1000
    }
}
