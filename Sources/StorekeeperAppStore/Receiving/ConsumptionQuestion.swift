public import Storekeeper

/// The App Store's request for consumption information, with the vault's data about the purchase.
///
/// - SeeAlso: Apple, "Handling refund notifications" and "Send Consumption Information".
public struct ConsumptionQuestion: Sendable {
    /// Returns the time for which the App Store of an environment waits for an answer.
    private static func patience(in environment: AppStore.Environment) -> Duration {
        environment == .sandbox ? .seconds(5 * 60) : .seconds(12 * 3_600)
    }

    /// The notification with the request.
    public let notification: ReceivedNotification
    /// The purchase.
    public let transaction: Transaction
    /// The customer's reason for the refund, such as `UNINTENDED_PURCHASE`.
    public let reason: String?
    /// The deadline for an answer, in UTC.
    public let answerBy: Instant
    /// The owner of the purchase; `nil` if no customer has claimed it.
    public let customer: CustomerID?
    /// For each balance that the purchase has credited, the numbers of credited and spent units.
    public let consumption: [Consumption]
    /// Whether the content was delivered; `nil` if no customer has claimed the purchase.
    public let isDelivered: Bool?
}

extension ConsumptionQuestion {
    /// Returns the consumption request in a notification, with the vault's data about the purchase; `nil` if the
    /// notification contains no transaction.
    ///
    /// - Parameters:
    ///   - purchase: The purchase in the notification.
    ///   - facts: The verified evidence in the notification.
    ///   - notification: The notification.
    ///   - vault: The vault.
    /// - Throws: `VaultError` if the vault cannot be read.
    static func reading(
        _ purchase: NotifiedPurchase, _ facts: [VerifiedFact], of notification: ReceivedNotification,
        in vault: any TransactionalVault
    ) async throws -> ConsumptionQuestion? {
        guard let fact = facts.first(where: { $0.transaction != nil }), let transaction = fact.transaction else {
            return nil
        }
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
            answerBy: notification.signedAt.advanced(by: patience(in: transaction.environment)), customer: customer,
            consumption: consumption, isDelivered: isDelivered)
    }
}
