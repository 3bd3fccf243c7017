import Storekeeper

/// The verdict on evidence, reported with every answer.
struct EvidenceVerdict {
    /// Whether every item was verified.
    let isVerified: Bool
    /// The diagnostics, sorted.
    let diagnostics: [Diagnostic]
}
