import FoundationEssentials
import Storekeeper
import StorekeeperDurable

/// The notification that a node sends after a write, with the id of the node and the row keys of the changed customers.
///
/// The notification contains keys instead of names, because every user of the database may listen. The text is the
/// Base64 of eight bytes for the node and sixteen bytes for each customer. A long notification is divided into several
/// texts, because a text must be shorter than 8,000 bytes.
struct NodeNotification: Equatable {
    static let channel = "storekeeper"
    static let nodeLength = 8
    private static let customersInOne = 368

    let node: [UInt8]
    let customers: Set<[UInt8]>

    /// Returns a random id for a process.
    static func randomNode() -> [UInt8] { (0..<nodeLength).map { _ in UInt8.random(in: 0...255) } }

    init(node: [UInt8], customers: Set<[UInt8]>) {
        self.node = node
        self.customers = customers
    }

    /// The text of a notification without a customer.
    ///
    /// The notification tells all nodes that reserved places will not be used.
    static let withoutCustomer = Data([UInt8](repeating: 0, count: nodeLength)).base64EncodedString()

    /// Parses the notification of a node; `nil` for a text that no node of this release sends.
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

    /// The texts of the notification.
    var texts: [String] {
        let sorted = customers.sorted { $0.lexicographicallyPrecedes($1) }
        return stride(from: 0, to: sorted.count, by: Self.customersInOne).map { first in
            let part = sorted[first..<min(first + Self.customersInOne, sorted.count)]
            return Data(node + part.joined()).base64EncodedString()
        }
    }
}
