/// The result of copying a vault.
package struct VaultCopyReport: Sendable {
    /// A difference between the vaults.
    package struct Difference: Hashable, Sendable {
        /// The customer's id, or the name of other data, such as `the cursors of backends`.
        package let subject: String
        /// A description of the difference.
        package let message: String

        init(_ subject: String, _ message: String) {
            self.subject = subject
            self.message = message
        }
    }

    /// The number of customers in the copy.
    package internal(set) var customers = 0
    /// The number of facts in the copy, without parked facts.
    package internal(set) var facts = 0
    /// The number of entries in the copy.
    package internal(set) var entries = 0
    /// The number of checked links of the copy's hash chain.
    package internal(set) var links = 0
    /// The number of erasures that the source has recorded; the proofs of these erasures are not copied.
    package internal(set) var erasures = 0
    /// The differences between the vaults, and the faults found in the target; empty for a complete copy.
    package internal(set) var differences: [Difference] = []

    /// The numbers of customers, facts and entries of a vault.
    struct Counts: Equatable {
        var customers = 0
        var facts = 0
        var entries = 0
    }
}

/// The reason why a vault cannot be copied.
package enum VaultCopyFailure: Error {
    /// The source cannot be read.
    case source(VaultError)
    /// The target cannot be read or written.
    case target(VaultError)
    /// The source is damaged; a copy would hide the damage.
    case damagedSource(faults: Int)
    /// The target contains data that was not copied from another vault.
    case targetInUse
    /// The target is a copy of another vault.
    case targetOfAnother
}
