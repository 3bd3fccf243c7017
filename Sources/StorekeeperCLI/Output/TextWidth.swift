extension StringProtocol {
    /// The number of terminal columns that the text occupies.
    ///
    /// A wide East Asian character or an emoji occupies two columns, and a combining character none.
    var columns: Int {
        // Nearly all ids and words are ASCII, where each byte occupies one column.
        if utf8.allSatisfy({ $0 < 0x80 }) { return utf8.count }
        return reduce(0) { $0 + $1.columns }
    }

    /// Returns the text shortened to a number of columns.
    ///
    /// `…` replaces the middle, because ids usually differ at their beginning or end.
    func abbreviated(to width: Int) -> String {
        guard columns > width else { return String(self) }
        guard width > 1 else { return width == 1 ? "…" : "" }
        let tail = (width - 1) / 3
        return String(start(ofColumns: width - 1 - tail)) + "…" + String(end(ofColumns: tail))
    }

    /// Returns the text cut to a number of columns, with `…` for the omitted end.
    func cut(to width: Int) -> String {
        guard columns > width else { return String(self) }
        return width > 0 ? String(start(ofColumns: width - 1)) + "…" : ""
    }

    /// Returns the text wrapped to a maximum number of columns, broken only at blanks.
    ///
    /// A word that is longer than this maximum has its own line.
    ///
    /// - Parameters:
    ///   - width: The maximum number of columns of a line; `nil` returns the text as one line.
    ///   - indent: The prefix of the second and later lines.
    func wrapped(to width: Int?, indent: String = "") -> [String] {
        guard let width, columns > width else { return [String(self)] }
        var lines: [String] = []
        var line = ""
        var isStarted = false
        for word in split(separator: " ", omittingEmptySubsequences: false) {
            if isStarted, line.columns + 1 + word.columns > width, line.contains(where: { $0 != " " }) {
                lines.append(line)
                line = indent + word
            } else {
                line += (isStarted ? " " : "") + word
            }
            isStarted = true
        }
        return lines + [line]
    }

    private func start(ofColumns width: Int) -> SubSequence {
        var taken = 0
        return prefix { character in
            taken += character.columns
            return taken <= width
        }
    }

    private func end(ofColumns width: Int) -> SubSequence {
        var taken = 0
        var index = endIndex
        while index > startIndex {
            let before = self.index(before: index)
            taken += self[before].columns
            guard taken <= width else { break }
            index = before
        }
        return self[index...]
    }
}

extension Character {
    /// The number of terminal columns that the character occupies.
    fileprivate var columns: Int {
        guard let first = unicodeScalars.first else { return 0 }
        // A variation selector (U+FE0F) makes the character an emoji.
        if unicodeScalars.dropFirst().contains(where: { $0.value == 0xFE0F }) { return 2 }
        switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: return Self.isWide(first) ? 2 : 1
        }
    }

    /// Returns whether a scalar is in a Unicode block whose characters terminals draw two columns wide.
    ///
    /// - SeeAlso: Unicode Standard Annex #11, "East Asian Width".
    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
            0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F,
            0x1F680...0x1F6FF, 0x1F900...0x1FAFF, 0x20000...0x3FFFD:
            true
        default: false
        }
    }
}
