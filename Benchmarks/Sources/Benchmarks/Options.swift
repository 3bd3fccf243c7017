/// The options of a run.
struct Options {
    /// Whether to measure less precisely, in a few seconds.
    var isQuick = false
    /// The `storekeeper` program; `nil`: it is not measured.
    var tool: String?
    /// The version of the compiler, for the head of the table.
    var compiler: String?
    /// Only groups whose names contain this text are measured.
    var only: String?
    /// Only cases whose names contain this text are measured.
    var onlyCase: String?
    /// The number of customers to reconcile; `nil`: some thousands.
    var customers: Int?
    /// The number of unmeasured runs of each case; `nil`: cases are measured.
    var calls: Int?

    static let usage = """
        usage: Benchmarks [--quick] [--only GROUP] [--case NAME] [--calls N] [--tool STOREKEEPER]
                          [--compiler VERSION] [--customers N]
        GROUP is part of: simulator, verify, batch, merge, resolve, update, read, store, reader, pool, catalog, vault,
        notifications, client, catch-up, postgres-groups, postgres-costs, postgres-standby, postgres-network,
        postgres-opening, tool;
        NAME is a line's name, or part of one. With --calls N each case runs N times and nothing is measured, for
        programs that count instructions: the difference between N and 2 N is the case alone.
        """

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--quick": isQuick = true
            case "--tool": tool = try Self.value(of: argument, &rest)
            case "--compiler": compiler = try Self.value(of: argument, &rest)
            case "--only": only = try Self.value(of: argument, &rest)
            case "--case": onlyCase = try Self.value(of: argument, &rest)
            case "--calls": calls = try Self.number(of: argument, &rest)
            case "--customers": customers = try Self.number(of: argument, &rest)
            default: throw BenchmarkError("unknown argument \(argument)\n\(Self.usage)")
            }
        }
    }

    private static func value(of option: String, _ rest: inout ArraySlice<String>) throws -> String {
        guard let value = rest.popFirst() else { throw BenchmarkError("\(option) wants a value\n\(usage)") }
        return value
    }

    private static func number(of option: String, _ rest: inout ArraySlice<String>) throws -> Int {
        guard let number = Int(try value(of: option, &rest)), number > 0 else {
            throw BenchmarkError("\(option) wants a number of at least 1\n\(usage)")
        }
        return number
    }

    /// Whether a group is to be measured.
    func includes(_ group: String) -> Bool { only.map { group.contains($0) } ?? true }
}
