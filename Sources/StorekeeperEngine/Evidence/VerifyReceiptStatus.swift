/// The meaning of the statuses of Apple's `verifyReceipt`.
///
/// - SeeAlso: Apple, "App Store Receipts: status".
package enum VerifyReceiptStatus {
    /// The statuses that mean that Apple did not return a receipt.
    package static let failures: Range<Int64> = 21_000..<22_000

    /// Returns the meaning of a status and what to do about it; `nil` for an unknown status.
    package static func meaning(of status: Int64) -> (what: String, next: String)? {
        switch status {
        case 21_000: ("the request did not use POST", "send the request with POST")
        case 21_002: ("the receipt data was missing or damaged", "send the whole receipt as base64, or try again")
        case 21_003:
            ("the receipt could not be authenticated", "check that the receipt is complete and from the App Store")
        case 21_004: ("the shared secret is not the app's", "send the app's shared secret from App Store Connect")
        case 21_005, 21_009: ("Apple's server failed", "try again later")
        case 21_006: ("the subscription has expired", "ask the App Store Server API about its transaction")
        case 21_007: ("a receipt of the sandbox was sent to production", "send the receipt to the sandbox")
        case 21_008: ("a receipt of production was sent to the sandbox", "send the receipt to production")
        case 21_010: ("the account was not found or was deleted", "treat it as an account without purchases")
        case 21_100..<21_200: ("Apple's server failed", "try again later")
        default: nil
        }
    }
}
