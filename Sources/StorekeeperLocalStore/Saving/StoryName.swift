/// The forms of a story's title for file names and code.
struct StoryName: Sendable {
    /// The title on one line, without control characters.
    let title: String
    /// The words of the title in lower-case ASCII; the list has at least one word.
    private let words: [String]

    init(_ story: String) {
        title = String(
            story.split(whereSeparator: \.isWhitespace).joined(separator: " ").unicodeScalars.filter { scalar in
                ![.control, .format, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
            }.map { Character($0) })
        let letters = title.lowercased().unicodeScalars.map { scalar in
            scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
                ? Character(scalar) : " "
        }
        var words: [String] = []
        for word in String(letters).split(separator: " ") {
            guard words.reduce(0, { $0 + $1.count + 1 }) + word.count <= 40 else { break }
            words.append(String(word))
        }
        self.words = words.isEmpty ? ["story"] : words
    }

    /// The title as a file name without extension, such as `a-month-of-gold`.
    var dashed: String { words.joined(separator: "-") }
    /// The title as the name of a Python module, such as `a_month_of_gold`.
    var snake: String { words.joined(separator: "_") }
    /// The title as the beginning of a type's name, such as `AMonthOfGold`.
    var camel: String {
        let name = words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        return name.first?.isNumber == true ? "Story\(name)" : name
    }

    /// Returns the last component of a path as a file name in ASCII.
    static func fileName(_ path: String) -> String {
        let last = path.split(separator: "/").last.map(String.init) ?? ""
        let plain = last.unicodeScalars.map { scalar in
            scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
                || scalar == "." || scalar == "-" || scalar == "_" ? Character(scalar) : "_"
        }
        let name = String(plain.drop { $0 == "." || $0 == "-" }.suffix(48))
        return name.isEmpty || name == "scenario.yaml" ? "catalog-\(name.isEmpty ? "1" : name)" : name
    }

    /// Returns a unique name for each subject.
    static func unique(_ subjects: [String], _ form: (StoryName) -> String) -> [String] {
        var used: Set<String> = []
        return subjects.map { subject in
            let base = form(StoryName(subject))
            var (name, count) = (base, 1)
            while !used.insert(name).inserted {
                count += 1
                name = "\(base)_no\(count)"
            }
            return name
        }
    }
}
