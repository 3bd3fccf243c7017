/// What came of copying a vault.
package struct VaultCopyReport: Sendable {
    /// Something that is not the same in both vaults.
    package struct Difference: Hashable, Sendable {
        /// A customer, or what else it is about.
        package let subject: String
        /// What differs, in words.
        package let message: String

        init(_ subject: String, _ message: String) {
            self.subject = subject
            self.message = message
        }
    }

    /// How many customers the copy has.
    package internal(set) var customers = 0
    /// How many facts it has, those that are parked not among them.
    package internal(set) var facts = 0
    /// How many entries it has.
    package internal(set) var entries = 0
    /// How many links of its chain were checked.
    package internal(set) var links = 0
    /// How many erasures the source has written down, whose proofs stay there.
    package internal(set) var erasures = 0
    /// What is not the same, or is not as it was written; empty for a copy that is whole.
    package internal(set) var differences: [Difference] = []

    /// How many customers, facts and entries there are in one of the vaults.
    struct Counts: Equatable {
        var customers = 0
        var facts = 0
        var entries = 0
    }
}

/// Why a vault cannot be copied.
package enum VaultCopyFailure: Error {
    /// The vault that is copied cannot be read.
    case source(VaultError)
    /// The vault that is to hold the copy cannot be read or written.
    case target(VaultError)
    /// The vault that is copied is not as it was written: a copy would hide that.
    case damagedSource(faults: Int)
    /// There is something in the vault that is to hold the copy, and no copy was begun there.
    case targetInUse
    /// A copy of another vault was begun there.
    case targetOfAnother
}
