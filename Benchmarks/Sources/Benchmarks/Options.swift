/// What a run is asked to do.
struct Options {
    /// Less careful figures, in a few seconds.
    var isQuick = false
    /// The `storekeeper` program; `nil`: nothing of it is measured.
    var tool: String?
    /// What the compiler calls itself, for the head of the table.
    var compiler: String?
    /// Only groups whose names hold this text are measured.
    var only: String?

    static let usage = """
        usage: Benchmarks [--quick] [--only GROUP] [--tool STOREKEEPER] [--compiler VERSION]
        GROUP is part of: verify, batch, merge, resolve, update, read, reader, pool, catalog, vault, tool
        """

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--quick": isQuick = true
            case "--tool": tool = try Self.value(of: argument, &rest)
            case "--compiler": compiler = try Self.value(of: argument, &rest)
            case "--only": only = try Self.value(of: argument, &rest)
            default: throw BenchmarkError("unknown argument \(argument)\n\(Self.usage)")
            }
        }
    }

    private static func value(of option: String, _ rest: inout ArraySlice<String>) throws -> String {
        guard let value = rest.popFirst() else { throw BenchmarkError("\(option) wants a value\n\(usage)") }
        return value
    }

    /// Whether a group is to be measured.
    func includes(_ group: String) -> Bool { only.map { group.contains($0) } ?? true }
}
