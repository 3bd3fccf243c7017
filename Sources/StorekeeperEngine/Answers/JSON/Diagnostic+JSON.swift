extension Diagnostic: JSONDescribed, JSONShaped {
    /// The diagnostic as every answer prints it.
    package static let shape = JSONShape<Diagnostic>(
        "Diagnostic",
        [
            .member("severity") { $0.severity.rawValue }, .member("code") { $0.code.rawValue },
            .member("subject") { $0.subject }, .member("message") { $0.message },
            .member("location") { $0.location },
        ])
}

extension Diagnostic: CustomStringConvertible {
    /// The diagnostic as a line for a person, such as `warning: staleEvidence (gold.monthly): …`.
    public var description: String {
        let about = [subject, location].compactMap { $0 }.joined(separator: ", ")
        return "\(severity.rawValue): \(code.rawValue)\(about.isEmpty ? "" : " (\(about))"): \(message)"
    }
}
