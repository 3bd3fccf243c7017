import Crypto
import StorekeeperCompanion
import StorekeeperLocalStore
import StorekeeperPages

/// The key whose tokens a local App Store accepts.
struct ServedKey {
    let rule: BearerTokenRule.Key

    /// Reads or creates a key; returns `nil` if neither is requested.
    ///
    /// - Throws: ``CommandError`` with status 64 if both are requested, or if an id of the key is missing; 65 for an
    ///   invalid key; 66 for an unreadable file; 73 for a file that cannot be written.
    init?(reading path: String?, making newPath: String?, id: String?, issuerID: String?) throws(CommandError) {
        guard let file = path ?? newPath else {
            if id != nil || issuerID != nil {
                throw .usage(
                    "--key-id and --issuer-id describe a key", at: "storekeeper local-app-store", "add --api-key FILE")
            }
            return nil
        }
        guard path == nil || newPath == nil else {
            throw .usage(
                "only one key can be given", at: "storekeeper local-app-store", "use --api-key or --new-api-key")
        }
        guard let id, !id.isEmpty else {
            throw .usage("the id of the key is missing", at: "storekeeper local-app-store", "add --key-id K")
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
                .malformedInput, "this is not a P-256 key in PEM", at: file, "use the .p8 file of App Store Connect")
        }
    }
}
