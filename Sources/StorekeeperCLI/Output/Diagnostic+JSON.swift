import Storekeeper

extension Diagnostic {
    /// The diagnostic as every answer prints it.
    var json: JSONText {
        .object([
            "severity": .string(severity.rawValue), "code": .string(code.rawValue), "subject": .text(subject),
            "message": .string(message), "location": .text(location),
        ])
    }
}
