import FoundationEssentials
import Storekeeper
import StorekeeperDurable

/// What a node tells the others when it has written: who it is, and the keys of the customers.
///
/// The keys and not the names, because whoever may use the database may listen. In Base64, eight bytes for the node and
/// sixteen for each customer; as many texts as it takes, because the server passes on less than 8,000 bytes in one.
struct NodeNews: Equatable {
    static let channel = "storekeeper"
    static let nodeLength = 8
    private static let customersInOne = 368

    let node: [UInt8]
    let customers: Set<[UInt8]>

    /// What stands for a process among the others.
    static func randomNode() -> [UInt8] { (0..<nodeLength).map { _ in UInt8.random(in: 0...255) } }

    init(node: [UInt8], customers: Set<[UInt8]>) {
        self.node = node
        self.customers = customers
    }

    /// What is told about no customer, and to all: places that were waited for will have no rows.
    static let ofNobody = Data([UInt8](repeating: 0, count: nodeLength)).base64EncodedString()

    /// What another node has told; `nil` for what none of this release tells.
    init?(_ text: String) {
        guard let bytes = Data(base64Encoded: text).map(Array.init), bytes.count >= Self.nodeLength,
            (bytes.count - Self.nodeLength) % RowID.length == 0
        else { return nil }
        node = Array(bytes.prefix(Self.nodeLength))
        customers = Set(
            stride(from: Self.nodeLength, to: bytes.count, by: RowID.length).map {
                Array(bytes[$0..<($0 + RowID.length)])
            })
    }

    /// The texts that tell it.
    var texts: [String] {
        let sorted = customers.sorted { $0.lexicographicallyPrecedes($1) }
        return stride(from: 0, to: sorted.count, by: Self.customersInOne).map { first in
            let part = sorted[first..<min(first + Self.customersInOne, sorted.count)]
            return Data(node + part.joined()).base64EncodedString()
        }
    }
}
