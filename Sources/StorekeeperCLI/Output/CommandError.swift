import Storekeeper
import StorekeeperCompanion
import StorekeeperLocalStore
import StorekeeperPages

/// The reason why a command ends without an answer.
///
/// The error is printed as one line with the description of the error, the file or option at fault, and the remedy.
struct CommandError: Error, CustomStringConvertible {
    var status: ExitStatus
    /// The description of the error.
    var what: String
    /// The file, option or server to which the error refers.
    var place: String
    /// The remedy.
    var advice: String
    /// The result of verifying the evidence, which is reported even if the evidence permits no answer.
    var verdict: EvidenceVerdict?

    init(_ status: ExitStatus, _ what: String, at place: String, _ advice: String) {
        self.status = status
        self.what = what
        self.place = place
        self.advice = advice
    }

    /// The line for standard error, without a line feed.
    var description: String { "storekeeper: error: \(what) (\(place)): \(advice)".onOneLine }

    /// Returns the error for the wrong usage of an option or argument.
    static func usage(_ what: String, at place: String, _ advice: String) -> CommandError {
        CommandError(.usage, what, at: place, advice)
    }

    /// Returns the error for an unknown name, with a suggestion or the first known names.
    ///
    /// - Parameters:
    ///   - kind: The kind of the name, such as `feature` or `group`, which is also the name of its option.
    ///   - place: The argument that contains the name; `nil` if an option contains it.
    static func unknownName(
        _ kind: String, _ name: String, at place: String? = nil, known names: [String], _ advice: String
    ) -> CommandError {
        let place = place ?? "--\(kind)"
        if let near = NearestWord.near(name, among: names) {
            return .usage("there is no \(kind) '\(name)'", at: place, "did you mean '\(near)'?")
        }
        let list = names.isEmpty ? "none is known" : "known: \(names.prefix(8).joined(separator: ", "))"
        return .usage("there is no \(kind) '\(name)'; \(list)", at: place, advice)
    }
}

extension StringProtocol {
    /// The text with a blank for every character that could move a terminal's cursor.
    var onOneLine: String {
        guard unicodeScalars.contains(where: Self.isControl) else { return String(self) }
        var result = String.UnicodeScalarView()
        for scalar in unicodeScalars { result.append(Self.isControl(scalar) ? " " : scalar) }
        return String(result)
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        // Format characters can reverse the direction of text, and line separators break lines.
        case .control, .lineSeparator, .paragraphSeparator, .format: true
        default: false
        }
    }
}

extension CommandError {
    /// Creates the error for a server that cannot listen, or that stopped serving.
    init(serving error: any Error, at address: ListenAddress) {
        let (what, advice) =
            switch ListeningFault(error) {
            case .portInUse:
                (
                    "another program uses this port",
                    "stop that program, or choose another port with --port N; --port 0 chooses a free one"
                )
            case .notPermitted:
                ("using this port is not permitted", "choose a port of 1024 or more with --port N")
            case .foreignAddress:
                ("this machine does not have this address", "name one of its own addresses with --host ADDRESS")
            case .unknownHost:
                ("this name has no address", "correct it, or name an address of this machine with --host ADDRESS")
            case nil:
                ("serving failed: \(error)", "run it again; see the log for earlier errors")
            }
        self.init(.unreachableService, what, at: address.name, advice)
    }
}
