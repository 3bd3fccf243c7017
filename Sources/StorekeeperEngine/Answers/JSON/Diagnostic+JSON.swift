extension Diagnostic: JSONDescribed {
    /// The diagnostic as every answer prints it.
    package var json: JSONText {
        .object([
            "severity": .string(severity.rawValue), "code": .string(code.rawValue), "subject": .text(subject),
            "message": .string(message), "location": .text(location),
        ])
    }
}

extension Diagnostic: CustomStringConvertible {
    /// The diagnostic as a line for a person, such as `warning: staleEvidence (gold.monthly): …`.
    public var description: String {
        let about = [subject, location].compactMap { $0 }.joined(separator: ", ")
        return "\(severity.rawValue): \(code.rawValue)\(about.isEmpty ? "" : " (\(about))"): \(message)"
    }
}
