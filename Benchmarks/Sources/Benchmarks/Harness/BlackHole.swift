/// False in every run, but not to the optimiser.
private let isWatched = CommandLine.arguments.count == .max

/// Consumes a value, so that its computation is not optimised away.
@inline(never)
func blackHole(_ value: some Any) {
    if isWatched { print(value) }
}
