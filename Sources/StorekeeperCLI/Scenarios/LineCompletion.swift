/// What the tab key makes of a line that somebody types.
struct LineCompletion {
    /// A command, of one word or several, and what may stand behind it in any place.
    struct Command {
        let name: String
        let followers: Set<String>
    }

    let commands: [Command]

    /// Nothing is completed.
    static let none = LineCompletion(commands: [])

    /// The lines that begin with a line and have its last word whole, sorted, each once.
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

    /// What all texts begin with.
    static func sharedBeginning(of texts: [String]) -> String {
        guard var shared = texts.first?[...] else { return "" }
        for text in texts.dropFirst() {
            while !text.hasPrefix(shared) { shared.removeLast() }
        }
        return String(shared)
    }
}
