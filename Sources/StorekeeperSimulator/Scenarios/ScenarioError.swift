/// Why a text is no scenario.
public struct ScenarioError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What the file is called.
    public let file: String
    /// The line, from 1; 0 where the whole file is meant.
    public let line: Int
    /// The column, from 1.
    public let column: Int
    /// What is wrong.
    public let message: String
    /// What to do.
    public let remedy: String
    /// Whether a file that the scenario names cannot be read at all.
    public let isUnreadableFile: Bool
    /// What else is wrong with the same text, in its order.
    public internal(set) var others: [ScenarioError] = []

    /// Makes an error.
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

    /// Everything that is wrong, this first, each without others.
    public var all: [ScenarioError] {
        var first = self
        first.others = []
        return [first] + others
    }

    /// The file and where in it.
    public var place: String { line == 0 ? file : "\(file):\(line):\(column)" }

    /// The place, what is wrong and what to do, a line for each thing that is wrong.
    public var description: String {
        all.map { "\($0.place): \($0.message); \($0.remedy)" }.joined(separator: "\n")
    }
}
