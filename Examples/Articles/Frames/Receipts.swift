import Storekeeper
import StorekeeperJWS

private func verify(root: TrustedRoot, receiptFile: [UInt8]) {
    var owned: [Product.ID] = []
    // block 1
    print(owned.count)
}

private func sign(authority: LocalAuthority, now: Instant) throws {
    // block 2
    print(signed.count)
}
