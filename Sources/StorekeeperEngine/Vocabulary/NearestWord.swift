/// Suggestions for misspelled words.
package enum NearestWord {
    /// Returns the most similar word, or `nil` if no word is similar enough to be a plausible correction.
    package static func near(_ word: String, among words: some Sequence<String>) -> String? {
        let near = words.map { ($0, distance(word.lowercased(), $0.lowercased())) }.min { $0.1 < $1.1 }
        guard let near, near.1 <= max(2, word.count / 3), near.1 < max(word.count, 1) else { return nil }
        return near.0
    }

    /// Returns advice that names the most similar word or, if no word is similar, the first twelve known words.
    package static func advice(for word: String, among words: [String]) -> String {
        if let near = near(word, among: words) { return "did you mean '\(near)'?" }
        let list = words.prefix(12).joined(separator: ", ")
        return words.isEmpty ? "none is known" : "use one of \(list)\(words.count > 12 ? ", …" : "")"
    }

    /// Returns the Levenshtein distance, the number of characters to change, add or remove to turn one word into the
    /// other.
    static func distance(_ left: String, _ right: String) -> Int {
        let (left, right) = (Array(left.prefix(64)), Array(right.prefix(64)))
        var row = Array(0...right.count)
        for (i, character) in left.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for j in right.indices {
                let above = row[j + 1]
                row[j + 1] = min(above + 1, row[j] + 1, diagonal + (character == right[j] ? 0 : 1))
                diagonal = above
            }
        }
        return row[right.count]
    }
}
