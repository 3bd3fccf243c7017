/// The exit status of a command.
struct ExitStatus: RawRepresentable, Hashable {
    let rawValue: Int32
    init(rawValue: Int32) { self.rawValue = rawValue }

    /// The command is done, or the answer is yes.
    static let success = ExitStatus(rawValue: 0)
    /// The answer is no.
    static let no = ExitStatus(rawValue: 1)
    /// The answer is unknown.
    static let unknown = ExitStatus(rawValue: 3)
    /// The command was used wrongly.
    static let usage = ExitStatus(rawValue: 64)
    /// The input is malformed.
    static let malformedInput = ExitStatus(rawValue: 65)
    /// A file cannot be read.
    static let unreadableFile = ExitStatus(rawValue: 66)
    /// A service cannot be reached.
    static let unreachableService = ExitStatus(rawValue: 69)
    /// The program has a bug.
    static let bug = ExitStatus(rawValue: 70)
    /// A file cannot be written.
    static let unwritableFile = ExitStatus(rawValue: 73)
    /// The verification failed, or a permission was refused.
    static let refused = ExitStatus(rawValue: 77)
}
