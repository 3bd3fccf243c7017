import Foundation
import StorekeeperKit

/// 1. The texts of a subscription in a list of options.
struct SubscriptionOption {
    let subscription: Product

    var title: String { subscription.displayName }
    var details: String { subscription.description }
}

/// 2. The state of an app while the customer asks for a refund.
struct RefundForm {
    var selectedTransactionID: UInt64?
    var isPresented = true

    var canBeSent: Bool { selectedTransactionID != nil }

    /// Called when the sheet of the App Store closes.
    mutating func sheetClosed(with result: Result<Transaction.RefundRequestStatus, Transaction.RefundRequestError>) {
        if case .success(.success) = result { isPresented = false }
    }
}

/// 3. Follows refunds, each of which arrives as a newer copy of a transaction.
func watchRefunds(_ journal: AppJournal) async throws {
    for await update in Transaction.updates {
        let transaction = try update.payloadValue
        guard let revocationDate = transaction.revocationDate, let reason = transaction.revocationReason else {
            continue
        }
        switch reason {
        case .developerIssue: await journal.write("\(transaction.productID) did not work")
        case .other: await journal.write("\(transaction.productID) was returned")
        default: await journal.write("\(transaction.productID) was revoked")
        }
        if revocationDate <= Date() { await journal.write("no more \(transaction.productID)") }
    }
}
