/// The last sequence number, and the end of the hash chain of facts, bindings, entries and erasures.
///
/// A connection reads this value once, and writes it at the end of each transaction that has changed it.
struct ChainHead: Equatable {
    /// The last sequence number that was assigned.
    var sequence: Int64
    /// The sequence number of the last link; 0 if there is none.
    var headSequence: Int64
    /// The hash of the last link; zeros if there is none.
    var headHash: [UInt8]
    /// The last sequence number from the time before facts and bindings were links; 0 if facts and bindings always were
    /// links.
    var epoch: Int64
}
