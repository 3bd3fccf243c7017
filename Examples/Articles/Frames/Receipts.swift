import Storekeeper
import StorekeeperJWS

private func verify(root: TrustedRoot, receiptFile: [UInt8]) {
    var owned: [Product.ID] = []
    // block 1
    print(owned.count)
}

private func answer(checked: CheckedReceipt, catalog: Catalog) {
    var history = PurchaseHistory()
    // block 2
    print(resolution.products.count)
}

private func sign(authority: LocalAuthority, now: Instant) throws {
    // block 3
    print(signed.count)
}
