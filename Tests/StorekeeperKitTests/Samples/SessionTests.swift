import Foundation
import StorekeeperKit
import StorekeeperSimulator
import Testing

/// 10. Tests a price increase.
func testPriceIncrease(
    agrees: Bool, subscribe: (SKTestSession) throws -> Void,
    check: (SKTestSession, _ isUnlocked: (String) async -> Bool) async throws -> Void
) async throws {
    let session: SKTestSession = try SKTestSession(configurationFileNamed: "Store")
    session.disableDialogs = true

    try subscribe(session)

    var transaction: SKTestTransaction = try #require(session.allTransactions().first)
    try session.requestPriceIncreaseConsentForTransaction(identifier: transaction.identifier)

    transaction = try #require(session.allTransactions().first)
    #expect(transaction.isPendingPriceIncreaseConsent)

    if agrees {
        try session.consentToPriceIncreaseForTransaction(identifier: transaction.identifier)
    } else {
        try session.declinePriceIncreaseForTransaction(identifier: transaction.identifier)
        try session.expireSubscription(productIdentifier: transaction.productIdentifier)
    }
    try await check(session) { product in await unlockedProducts().contains(product) }
}

/// 14. Tests a failed renewal.
func testFailedRenewal(
    subscribe: (SKTestSession) throws -> Void, wait: (SKTestSession) async throws -> Void,
    isUnlocked: (SKTestSession) async throws -> Bool
) async throws {
    let session: SKTestSession = try SKTestSession(configurationFileNamed: "Store")
    session.billingGracePeriodIsEnabled = true
    session.shouldEnterBillingRetryOnRenewal = true

    try subscribe(session)
    try await wait(session)

    let transaction: SKTestTransaction = try #require(session.allTransactions().first)
    #expect(transaction.hasPurchaseIssue)
    #expect(try await isUnlocked(session))

    try await wait(session)
    #expect(try await !isUnlocked(session))

    try session.resolveIssueForTransaction(identifier: transaction.identifier)
    #expect(try await isUnlocked(session))
}
