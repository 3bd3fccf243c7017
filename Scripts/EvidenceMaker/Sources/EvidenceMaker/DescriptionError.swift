/// An error in a description, with its place and the remedy.
struct DescriptionError: Error, CustomStringConvertible {
    /// The file, as given.
    let file: String
    /// The line, from 1; `nil` if the error is about the whole file.
    let line: Int?
    /// The error and the remedy.
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
