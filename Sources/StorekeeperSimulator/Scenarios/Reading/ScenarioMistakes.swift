/// The mistakes that were found while a scenario was read, so that all of them are reported and not only the first.
///
/// A reference, because every part of a text adds its mistakes to the same list; it never leaves the reader.
final class ScenarioMistakes {
    private var found: Set<ScenarioError> = []
    /// How many there are, those that are not reported one by one included.
    private(set) var count = 0

    /// The most mistakes that are reported one by one.
    static let limit = 100

    /// Adds a mistake; the same one twice is one.
    func add(_ error: ScenarioError) {
        guard !found.contains(error) else { return }
        count += 1
        if found.count < Self.limit { found.insert(error) }
    }

    /// Does what may fail; adds the mistake where it does.
    ///
    /// - Returns: `nil` where it failed.
    func attempt<Value>(_ body: () throws(ScenarioError) -> Value) -> Value? {
        do throws(ScenarioError) {
            return try body()
        } catch {
            add(error)
            return nil
        }
    }

    /// All mistakes as one error, in the order of the text; `nil` where there are none.
    var error: ScenarioError? {
        let sorted = found.sorted { ($0.line, $0.column, $0.message) < ($1.line, $1.column, $1.message) }
        guard var first = sorted.first else { return nil }
        first.others = Array(sorted.dropFirst())
        if count > sorted.count, let last = sorted.last {
            first.others.append(
                ScenarioError(
                    file: last.file, "\(count - sorted.count) more mistakes follow",
                    remedy: "correct these first"))
        }
        return first
    }
}
