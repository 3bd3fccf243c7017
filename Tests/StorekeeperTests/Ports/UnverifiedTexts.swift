import Storekeeper
import StorekeeperTesting

/// Compact JWS with valid payloads and invalid signatures, for tests of code that does not check signatures.
enum UnverifiedTexts {
    static func text(_ draft: TransactionDraft) -> String { text(draft.payload) }
    static func text(_ draft: RenewalInfoDraft) -> String { text(draft.payload) }

    private static func text(_ payload: [UInt8]) -> String {
        func encoded(_ bytes: [UInt8]) -> String { Base64URL.encode(bytes) }
        return [Array("{}".utf8), payload, Array("signature".utf8)].map(encoded).joined(separator: ".")
    }
}
