/// Completes a typed line with the tab key.
struct LineCompletion {
    /// A command of one or more words, and the words that may follow the command.
    struct Command {
        let name: String
        let followers: Set<String>
    }

    let commands: [Command]

    /// A completion without commands.
    static let none = LineCompletion(commands: [])

    /// Returns the distinct lines that complete the last word of a line, sorted.
    func lines(continuing line: String) -> [String] {
        let begin = line.lastIndex(where: \.isWhitespace).map { line.index(after: $0) } ?? line.startIndex
        let (before, word) = (line[..<begin], line[begin...])
        let words = before.split(whereSeparator: \.isWhitespace)
        var found: Set<String> = []
        for command in commands {
            let parts = command.name.split(separator: " ")
            guard zip(words, parts).allSatisfy({ $0 == $1 }) else { continue }
            if parts.count > words.count {
                found.insert(String(parts[words.count]))
            } else {
                found.formUnion(command.followers)
            }
        }
        return found.filter { $0.hasPrefix(word) }.sorted().map { before + $0 }
    }

    /// Returns the longest common prefix of texts.
    static func sharedBeginning(of texts: [String]) -> String {
        guard var shared = texts.first?[...] else { return "" }
        for text in texts.dropFirst() {
            while !text.hasPrefix(shared) { shared.removeLast() }
        }
        return String(shared)
    }
}
