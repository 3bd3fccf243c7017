import Storekeeper

/// A signed record about a customer, with its name in the description.
struct Record {
    /// The name.
    let name: String
    /// The kind.
    let kind: EvidenceKind
    /// The signed payload.
    let payload: Payload
}
