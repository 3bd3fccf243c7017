import Storekeeper
import StorekeeperDurable

/// The ends of chains that a group of steps has changed: what is linked into the ledger of checkpoints, so that nothing can
/// be cut off a chain, or be exchanged for what it was once.
///
/// A record of fifty-seven bytes for each: what it is about, its name, its count of links, the hash of the last.
struct Checkpoint {
    static let recordLength = 57

    enum Kind: UInt8 {
        case customer = 0x63
        case purchase = 0x70
        case erasure = 0x65
        case marks = 0x6D
    }

    /// The records by their names, so that only the last of each counts.
    private var records: [[UInt8]: [UInt8]] = [:]

    var isEmpty: Bool { records.isEmpty }

    /// All records, in order of their names.
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

    /// A customer's name there, which tells nothing once the salt is gone.
    static func name(of customer: CustomerID, salt: [UInt8]) -> [UInt8] {
        Array(Digests.sha256(salt + Array(customer.rawValue.utf8)).prefix(RowID.length))
    }

    private mutating func add(_ kind: Kind, _ name: [UInt8], _ chainHead: ChainHead) {
        let count = withUnsafeBytes(of: chainHead.count.bigEndian) { Array($0) }
        records[[kind.rawValue] + name] = count + chainHead.hash
    }
}
