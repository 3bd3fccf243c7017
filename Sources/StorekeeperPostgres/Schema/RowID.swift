import FoundationEssentials
import Storekeeper
import StorekeeperDurable

/// Computes the primary keys of rows.
///
/// A key is sixteen bytes of a hash of the id, such as a customer id. Therefore a step can compute the key and its
/// partition before any query.
enum RowID {
    /// The number of bytes of a key.
    static let length = 16

    static func of(_ customer: CustomerID) -> [UInt8] { cut(Array(customer.rawValue.utf8)) }
    /// Returns the key of the row of a customer whose id has the given bytes.
    static func of(_ customer: UnsafeRawBufferPointer) -> [UInt8] { cut(Array(customer)) }
    static func of(_ subject: BindingSubject) -> [UInt8] { cut(subject.bytes) }
    static func of(_ chain: ChainID) -> [UInt8] { of(.chain(chain)) }

    static func of(_ key: TransactionKey) -> [UInt8] {
        var content = LinkContent()
        content.add(key.bundleID)
        content.add(key.environment.rawValue)
        content.add(key.transactionID.rawValue)
        return cut(content.bytes)
    }

    static func of(_ purchase: RenewalInfoKey) -> [UInt8] {
        var content = LinkContent()
        content.add(purchase.environment.rawValue)
        content.add(purchase.originalID.rawValue)
        return cut(content.bytes)
    }

    static func of(_ key: MarkKey) -> [UInt8] { cut(key.secret) }

    private static func cut(_ bytes: [UInt8]) -> [UInt8] { Array(Digests.sha256(bytes).prefix(length)) }
}
