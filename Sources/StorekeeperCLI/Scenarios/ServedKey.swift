import Crypto
import StorekeeperCompanion
import StorekeeperLocalStore
import StorekeeperPages

/// The key whose tokens a local App Store takes.
struct ServedKey {
    let rule: BearerTokenRule.Key

    /// Reads or makes a key; `nil` where neither is asked for.
    ///
    /// - Throws: ``CommandError`` with 64 where both are, or a key's id is missing; 65 for what is no key; 66, 73.
    init?(reading path: String?, making newPath: String?, id: String?, issuerID: String?) throws(CommandError) {
        guard let file = path ?? newPath else {
            if id != nil || issuerID != nil {
                throw .usage(
                    "--key-id and --issuer-id say whose the key is", at: "storekeeper serve", "add --api-key FILE")
            }
            return nil
        }
        guard path == nil || newPath == nil else {
            throw .usage("there is one key", at: "storekeeper serve", "use --api-key or --new-api-key")
        }
        guard let id, !id.isEmpty else {
            throw .usage("tokens name the id of their key", at: "storekeeper serve", "add --key-id K")
        }
        let pem: String
        if path != nil {
            pem = String(decoding: try InputFile.contents(of: file, limit: 64 << 10), as: UTF8.self)
        } else {
            pem = P256.Signing.PrivateKey().pemRepresentation
            try OutputFile.writePrivate(Array((pem + "\n").utf8), to: file, replaces: false)
        }
        do { rule = try BearerTokenRule.Key(pem: pem, id: id, issuerID: issuerID) } catch {
            throw CommandError(
                .malformedInput, "this is no P-256 key in PEM", at: file, "use the .p8 file of App Store Connect")
        }
    }
}
