import Storekeeper
import StorekeeperDurable

/// The ends of the hash chains that a group of steps has changed.
///
/// The checkpoints themselves form a hash chain. Therefore the check of a vault detects a hash chain that was shortened
/// or replaced by an earlier state.
///
/// For each hash chain, a checkpoint contains a record of 57 bytes: the kind and the name of the chain, its number of
/// links, and the hash of its last link.
struct Checkpoint {
    static let recordLength = 57

    enum Kind: UInt8 {
        case customer = 0x63
        case purchase = 0x70
        case erasure = 0x65
        case marks = 0x6D
    }

    /// The records by kind and name; a later change of the same hash chain replaces its earlier record.
    private var records: [[UInt8]: [UInt8]] = [:]

    var isEmpty: Bool { records.isEmpty }

    /// The bytes of all records, sorted by kind and name.
    var bytes: [UInt8] { records.sorted { $0.key.lexicographicallyPrecedes($1.key) }.flatMap { $0.key + $0.value } }

    mutating func addCustomer(_ customer: CustomerID, salt: [UInt8], chainHead: ChainHead) {
        add(.customer, Self.name(of: customer, salt: salt), chainHead)
    }

    mutating func addPurchase(_ id: [UInt8], chainHead: ChainHead) { add(.purchase, id, chainHead) }

    mutating func addErasure(_ hash: [UInt8]) {
        add(.erasure, Array(hash.prefix(RowID.length)), ChainHead(count: 0, hash: hash))
    }

    mutating func addMarks(_ seal: [UInt8]) {
        add(.marks, Array(seal.prefix(RowID.length)), ChainHead(count: 0, hash: seal))
    }

    /// Returns the name of a customer in checkpoints.
    ///
    /// After the customer's salt is deleted, the customer cannot be found by testing guessed ids.
    static func name(of customer: CustomerID, salt: [UInt8]) -> [UInt8] {
        Array(Digests.sha256(salt + Array(customer.rawValue.utf8)).prefix(RowID.length))
    }

    private mutating func add(_ kind: Kind, _ name: [UInt8], _ chainHead: ChainHead) {
        let count = withUnsafeBytes(of: chainHead.count.bigEndian) { Array($0) }
        records[[kind.rawValue] + name] = count + chainHead.hash
    }
}
