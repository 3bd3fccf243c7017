// The comments of the functions are in storekeeper.h.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import CStorekeeper
import Storekeeper

/// A request to change a balance, read from the arguments of a call.
private struct BalanceRequest: Sendable {
    private let customer: CustomerObject
    private let balance: Balance.ID
    private let units: Int64
    private let key: LedgerRequest.Key
    /// The reason of a grant; `nil` for a spend.
    private let reason: String?

    init(
        _ customer: OpaquePointer?, _ balance: UnsafePointer<CChar>?, _ length: Int, _ units: Int64,
        _ key: UnsafePointer<CChar>?, _ keyLength: Int, reason: String?
    ) throws(Failure) {
        self.customer = try handles.object(of: customer, as: CustomerObject.self)
        self.balance = Balance.ID(try Arguments.id(balance, length, "balance"))
        self.units = units
        self.key = LedgerRequest.Key(try Arguments.id(key, keyLength, "key"))
        self.reason = reason
    }

    private func carryOut() async throws -> LedgerReceipt {
        if let reason {
            try await customer.store.grant(units, of: balance, because: reason, key: key)
        } else {
            try await customer.store.spend(units, of: balance, key: key)
        }
    }

    /// Carries out the request and waits for its receipt.
    func run(_ receipt: UnsafeMutablePointer<sk_receipt>?) throws(Failure) {
        let carried = try customer.pool.wait { try await carryOut() }
        if let receipt { Results.give(sk_receipt(carried), to: receipt) }
    }

    /// Begins to carry out the request.
    func begin(_ queue: OpaquePointer?, _ tag: UInt64) throws(Failure) {
        try customer.pool.begin(for: try handles.object(of: queue, as: QueueObject.self), tag) { item in
            item.json = try await carryOut().json.bytes()
        }
    }

    /// Checks the struct for the receipt before anything is written.
    static func prepare(_ receipt: UnsafeMutablePointer<sk_receipt>?) throws(Failure) {
        if receipt != nil { _ = try Results.prepare(receipt, smallest: MemoryLayout<sk_receipt>.size, "receipt") }
    }

    /// Returns the reason of a grant, which is required.
    static func reason(_ reason: UnsafePointer<CChar>?) throws(Failure) -> String {
        guard let reason = try Arguments.optionalText(reason, "reason") else { throw Failure.null("reason") }
        return reason
    }
}

extension sk_receipt {
    /// Creates the receipt of the header, with the size still to be set.
    fileprivate init(_ receipt: LedgerReceipt) {
        self.init()
        balance = receipt.balance
        is_replayed = receipt.isReplay
        // The longest word of an entry and a number of 64 bits are shorter than the member.
        withUnsafeMutableBytes(of: &id) { id in
            for (index, byte) in receipt.receipt.utf8.prefix(id.count - 1).enumerated() { id[index] = byte }
        }
    }
}

@c @implementation
public func sk_customer_spend(
    _ customer: OpaquePointer?, _ balance: UnsafePointer<CChar>?, _ length: Int, _ units: Int64,
    _ key: UnsafePointer<CChar>?, _ key_length: Int, _ receipt: UnsafeMutablePointer<sk_receipt>?
) -> sk_status {
    status { () throws(Failure) in
        try BalanceRequest.prepare(receipt)
        try BalanceRequest(customer, balance, length, units, key, key_length, reason: nil).run(receipt)
    }
}

@c @implementation
public func sk_begin_spend(
    _ customer: OpaquePointer?, _ balance: UnsafePointer<CChar>?, _ length: Int, _ units: Int64,
    _ key: UnsafePointer<CChar>?, _ key_length: Int, _ queue: OpaquePointer?, _ tag: UInt64
) -> sk_status {
    status { () throws(Failure) in
        try BalanceRequest(customer, balance, length, units, key, key_length, reason: nil).begin(queue, tag)
    }
}

@c @implementation
public func sk_customer_grant(
    _ customer: OpaquePointer?, _ balance: UnsafePointer<CChar>?, _ length: Int, _ units: Int64,
    _ reason: UnsafePointer<CChar>?, _ key: UnsafePointer<CChar>?, _ key_length: Int,
    _ receipt: UnsafeMutablePointer<sk_receipt>?
) -> sk_status {
    status { () throws(Failure) in
        try BalanceRequest.prepare(receipt)
        let reason = try BalanceRequest.reason(reason)
        try BalanceRequest(customer, balance, length, units, key, key_length, reason: reason).run(receipt)
    }
}

@c @implementation
public func sk_begin_grant(
    _ customer: OpaquePointer?, _ balance: UnsafePointer<CChar>?, _ length: Int, _ units: Int64,
    _ reason: UnsafePointer<CChar>?, _ key: UnsafePointer<CChar>?, _ key_length: Int, _ queue: OpaquePointer?,
    _ tag: UInt64
) -> sk_status {
    status { () throws(Failure) in
        let reason = try BalanceRequest.reason(reason)
        try BalanceRequest(customer, balance, length, units, key, key_length, reason: reason).begin(queue, tag)
    }
}

@c @implementation
public func sk_customer_grant_feature(
    _ customer: OpaquePointer?, _ feature: UnsafePointer<CChar>?, _ length: Int, _ until: sk_instant,
    _ reason: UnsafePointer<CChar>?, _ key: UnsafePointer<CChar>?, _ key_length: Int
) -> sk_status {
    status { () throws(Failure) in
        let object = try handles.object(of: customer, as: CustomerObject.self)
        let feature = Feature.ID(try Arguments.id(feature, length, "feature"))
        let key = AccessGrant.ID(try Arguments.id(key, key_length, "key"))
        let reason = try BalanceRequest.reason(reason)
        let end = try until == .max ? .distantFuture : Arguments.instant(until) ?? object.pool.clock.now
        try object.pool.wait {
            _ = try await object.store.grantAccess(to: .feature(feature), until: end, because: reason, key: key)
        }
    }
}

@c @implementation
public func sk_customer_revoke_grant(
    _ customer: OpaquePointer?, _ reason: UnsafePointer<CChar>?, _ key: UnsafePointer<CChar>?, _ key_length: Int
) -> sk_status {
    status { () throws(Failure) in
        let object = try handles.object(of: customer, as: CustomerObject.self)
        let key = AccessGrant.ID(try Arguments.id(key, key_length, "key"))
        let reason = try BalanceRequest.reason(reason)
        try object.pool.wait { _ = try await object.store.revokeAccess(grantedBy: key, because: reason) }
    }
}
