/// The last sequence number, and the end of the hash chain of facts, bindings, entries and erasures.
///
/// A connection reads this value once, and writes it at the end of each transaction that has changed it.
struct ChainHead: Equatable {
    /// The last sequence number that was assigned.
    var sequence: Int64
    /// The sequence number of the last link; 0 if the hash chain is empty.
    var headSequence: Int64
    /// The hash of the last link; zeros if the hash chain is empty.
    var headHash: [UInt8]
}
