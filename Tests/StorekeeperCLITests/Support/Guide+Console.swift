import Foundation
import Testing

extension Guide {
    /// A command of a page with the output that the page shows.
    struct ConsoleStep {
        let command: String
        let output: String
    }

    /// Returns the lines of all blocks in some languages, in order, for one shell.
    ///
    /// The script prints a line with the number of the command before and after the output of each command of a
    /// `console` block.
    func script(_ languages: Set<String> = ["sh", "console"]) throws -> (lines: [String], steps: [ConsoleStep]) {
        var (lines, steps): ([String], [ConsoleStep]) = ([], [])
        for match in text.matches(of: #/(?ms)^```(sh|console)\n(.*?)^```$/#) {
            guard languages.contains(String(match.1)) else { continue }
            let block = String(match.2)
            guard match.1 == "console" else {
                lines.append(block)
                continue
            }
            try #require(block.hasPrefix("$ "))
            for part in block.dropFirst(2).components(separatedBy: "\n$ ") {
                var rest = part.split(separator: "\n", omittingEmptySubsequences: false)[...]
                var command = rest.removeFirst()[...]
                while command.hasSuffix("\\"), let next = rest.popFirst() { command += "\n" + next }
                let output = rest.joined(separator: "\n").trimmingCharacters(in: .newlines)
                lines.append(
                    """
                    echo '== \(steps.count)'
                    status=0
                    \(command) || status=$?
                    echo '== end'
                    case $status in 0|1|3) ;; *) exit $status ;; esac
                    """)
                steps.append(ConsoleStep(command: String(command), output: output))
            }
        }
        return (lines, steps)
    }

    /// Expects that each command of the `console` blocks has printed the output that the page shows.
    static func expect(_ steps: [ConsoleStep], in output: String, sourceLocation: SourceLocation = #_sourceLocation) {
        for (number, step) in steps.enumerated() {
            let after = output.components(separatedBy: "== \(number)\n")
            let printed = after.count == 2 ? after[1].components(separatedBy: "== end\n").first : nil
            #expect(
                printed?.trimmingCharacters(in: .newlines) == step.output, "\(step.command)",
                sourceLocation: sourceLocation)
        }
    }
}
