/// What is wrong with a description, where, and what to do.
struct DescriptionError: Error, CustomStringConvertible {
    /// The file, as it was named.
    let file: String
    /// The line, from 1; `nil` where the whole file is at fault.
    let line: Int?
    /// What is wrong and what to do.
    let message: String

    init(_ message: String, file: String, line: Int? = nil) {
        self.file = file
        self.line = line
        self.message = message
    }

    var description: String {
        "\(file)\(line.map { ":\($0)" } ?? ""): \(message)"
    }
}
