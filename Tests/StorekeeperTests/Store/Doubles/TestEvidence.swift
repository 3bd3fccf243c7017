import FoundationEssentials
import Storekeeper
import StorekeeperTesting

extension TestEvidence {
    /// Returns a notification with signed parts.
    static func notification(
        _ type: String = "DID_RENEW", uuid: String = "0b8f4c1e-0000-4000-8000-000000000001",
        transaction: String? = nil, info: String? = nil, at instant: Instant, signature: String = genuine
    ) -> String {
        var data = #""bundleId":"com.example.game","environment":"Production""#
        if let transaction { data += #","signedTransactionInfo":"\#(transaction)""# }
        if let info { data += #","signedRenewalInfo":"\#(info)""# }
        let text =
            #"{"notificationType":"\#(type)","notificationUUID":"\#(uuid)","version":"2.0","#
            + #""signedDate":\#(instant.millisecondsSince1970),"data":{\#(data)}}"#
        return jws(Array(text.utf8), signature: signature)
    }
}

extension TransactionDraft {
    /// The draft as a compact JWS whose signature is not valid.
    var forged: String { TestEvidence.jws(payload, signature: "forged") }
    var key: TransactionKey { TransactionKey(bundleID: bundleID, environment: environment, transactionID: id) }
    var chain: ChainID { ChainID(bundleID: bundleID, environment: environment, originalID: originalID) }

    /// Returns the draft as a purchase with an app account token.
    func owned(by token: String) -> TransactionDraft {
        var draft = self
        draft.appAccountToken = token
        return draft
    }
}
