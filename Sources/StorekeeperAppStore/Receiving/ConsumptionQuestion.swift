public import Storekeeper

/// The App Store's question how far a purchase was used, with what the vault knows of it.
///
/// - SeeAlso: Apple, "Handling refund notifications" and "Send Consumption Information".
public struct ConsumptionQuestion: Sendable {
    /// How long the App Store waits for an answer.
    static let patience: Duration = .seconds(12 * 3_600)

    /// The notification that asks.
    public let notification: ReceivedNotification
    /// The purchase.
    public let transaction: Transaction
    /// Why the customer asks for a refund, in the App Store's word.
    public let reason: String?
    /// Until when an answer counts, in UTC.
    public let answerBy: Instant
    /// Whose the purchase is; `nil` where nobody has claimed it.
    public let customer: CustomerID?
    /// What the ledger knows, one for each balance that the purchase has added to.
    public let consumption: [Consumption]
    /// Whether the goods were handed out; `nil` where nobody has claimed the purchase.
    public let isDelivered: Bool?
}

extension ConsumptionQuestion {
    /// Finds out what the vault knows of the purchase that a notification asks about; `nil` where it names none.
    ///
    /// - Throws: `VaultError` where the vault cannot be read.
    static func reading(
        _ purchase: NotifiedPurchase, of notification: ReceivedNotification, in vault: any Vault
    ) async throws -> ConsumptionQuestion? {
        guard let transaction = purchase.transaction,
            let fact = VerifiedFact(.transaction(.verified(transaction)))
        else { return nil }
        let key = TransactionKey(transaction)
        let customer = try await vault.owners(of: [fact]).first ?? nil
        var consumption: [Consumption] = []
        var isDelivered: Bool?
        if let customer {
            consumption = Consumption.of(key, in: try await vault.account(of: customer))
            isDelivered = try await !vault.unfinished(of: customer).contains { $0.key == key && $0.state == .owed }
        }
        return ConsumptionQuestion(
            notification: notification, transaction: transaction, reason: purchase.consumptionRequestReason,
            answerBy: notification.signedAt.advanced(by: patience), customer: customer,
            consumption: consumption, isDelivered: isDelivered)
    }
}
