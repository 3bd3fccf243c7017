import Storekeeper

/// The result of verifying evidence, which is reported with every answer.
struct EvidenceVerdict {
    /// Whether every item was verified.
    let isVerified: Bool
    /// The diagnostics, sorted.
    let diagnostics: [Diagnostic]
}
