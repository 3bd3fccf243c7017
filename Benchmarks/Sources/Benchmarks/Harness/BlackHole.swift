/// False in every run, but not to the optimiser.
private let isWatched = CommandLine.arguments.count == .max

/// Uses a value up, so that the work behind it cannot be left out.
@inline(never)
func blackHole(_ value: some Any) {
    if isWatched { print(value) }
}
