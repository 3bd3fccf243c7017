import StorekeeperEngine

private func answer(
    productsFile: [UInt8], transactions: [VerificationResult<Transaction>],
    renewalInfo: VerificationResult<RenewalInfo>, now: Instant
) throws -> Bool {
    // block 1

    // block 2

    // block 3

    // block 4
    return isPro
}
