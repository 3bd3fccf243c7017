import Storekeeper

/// What is said of evidence whatever the answer is.
struct EvidenceVerdict {
    /// Whether every item was verified.
    let isVerified: Bool
    /// What a person should know about it, sorted.
    let diagnostics: [Diagnostic]
}
