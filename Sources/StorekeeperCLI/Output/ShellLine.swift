extension Sequence<String> {
    /// The words as a line that a shell splits into the same words.
    var shellLine: String { map(\.shellWord).joined(separator: " ") }
}

extension String {
    /// The text as one word of a shell, in quotes if a character could have a meaning for the shell.
    fileprivate var shellWord: String {
        guard isEmpty || !unicodeScalars.allSatisfy(Self.isPlain) else { return self }
        // Scalars are compared, because a quote and a combining mark are one character.
        var quoted = "'"
        for scalar in unicodeScalars {
            if scalar == "'" { quoted += #"'\''"# } else { quoted.unicodeScalars.append(scalar) }
        }
        return quoted + "'"
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "-", "_", ".", "/", ":", "=", ",", "@", "%", "+": true
        default: false
        }
    }
}
