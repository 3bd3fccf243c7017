/// The numbers that rows are given, and the end of the chain that facts, bindings, entries and erasures form.
///
/// Read once, and written at the end of each transaction that has changed them.
struct ChainHead: Equatable {
    /// The last number that was given.
    var sequence: Int64
    /// The place of the last link; 0 where there is none.
    var headSequence: Int64
    /// The hash of the last link; zeroes where there is none.
    var headHash: [UInt8]
    /// The last number that was given when facts and bindings were not linked yet; 0 in a vault that always did.
    var epoch: Int64
}
