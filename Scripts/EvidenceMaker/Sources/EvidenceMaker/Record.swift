import Storekeeper

/// Something the App Store signed about a customer, under the name that a description gives it.
struct Record {
    /// The name.
    let name: String
    /// What it is.
    let kind: EvidenceKind
    /// What was signed.
    let payload: Payload
}
