import Crypto
import JWTKit

/// Signs claims as a JWT with the algorithm ES256 and the key's id in the header, as the App Store requires.
struct TokenSigner: Sendable {
    let key: AppStoreKey

    /// Signs claims.
    ///
    /// - Returns: The compact JWT.
    /// - Throws: `signingFailed`, which is not expected with a valid key.
    func sign(_ claims: some JWTPayload) async throws(AppStoreServerError) -> String {
        do {
            let keys = JWTKeyCollection()
            let id = JWKIdentifier(string: key.keyID)
            await keys.add(ecdsa: try ES256PrivateKey(backing: key.privateKey), kid: id)
            return try await keys.sign(claims, kid: id)
        } catch {
            throw AppStoreServerError(.signingFailed, "a token could not be signed", cause: error)
        }
    }
}
