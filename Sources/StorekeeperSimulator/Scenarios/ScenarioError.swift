/// A mistake in the text of a scenario.
public struct ScenarioError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name of the file.
    public let file: String
    /// The line, from 1; 0 for the whole file.
    public let line: Int
    /// The column, from 1.
    public let column: Int
    /// A description of the mistake.
    public let message: String
    /// Advice on how to correct the mistake.
    public let remedy: String
    /// Whether the mistake is that a file named in the scenario cannot be read.
    public let isUnreadableFile: Bool
    /// Further errors in the same text, in order.
    public internal(set) var others: [ScenarioError] = []

    /// Creates an error.
    public init(
        file: String, line: Int = 0, column: Int = 0, _ message: String, remedy: String,
        isUnreadableFile: Bool = false
    ) {
        self.file = file
        self.line = line
        self.column = column
        self.message = message
        self.remedy = remedy
        self.isUnreadableFile = isUnreadableFile
    }

    /// All errors, each without ``others``.
    ///
    /// The first element is this error.
    public var all: [ScenarioError] {
        var first = self
        first.others = []
        return [first] + others
    }

    /// The file and the position in it.
    public var place: String { line == 0 ? file : "\(file):\(line):\(column)" }

    /// The position, the error and the remedy, one line for each error.
    public var description: String {
        all.map { "\($0.place): \($0.message); \($0.remedy)" }.joined(separator: "\n")
    }
}
