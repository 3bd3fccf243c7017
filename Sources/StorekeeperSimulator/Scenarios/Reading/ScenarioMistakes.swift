/// The mistakes in a scenario's text, which are collected so that all mistakes are reported, not only the first.
///
/// The type is a class, so that all nodes of the text add their mistakes to the same list.
final class ScenarioMistakes {
    /// The name of the scenario's file, for messages.
    let file: String
    private var found: Set<ScenarioError> = []
    /// The number of mistakes, including mistakes above the ``limit``, which are only counted.
    private(set) var count = 0

    /// The maximum number of mistakes that are reported one by one.
    static let limit = 100

    init(file: String) { self.file = file }

    /// Adds a mistake, unless it was added before.
    func add(_ error: ScenarioError) {
        guard !found.contains(error) else { return }
        count += 1
        if found.count < Self.limit { found.insert(error) }
    }

    /// Returns the result of a closure; if the closure throws, adds the error to the mistakes and returns `nil`.
    func attempt<Value>(_ body: () throws(ScenarioError) -> Value) -> Value? {
        do throws(ScenarioError) {
            return try body()
        } catch {
            add(error)
            return nil
        }
    }

    /// All mistakes as one error, in the order of the text; `nil` if the text has no mistakes.
    var error: ScenarioError? {
        let sorted = found.sorted { ($0.line, $0.column, $0.message) < ($1.line, $1.column, $1.message) }
        guard var first = sorted.first else { return nil }
        first.others = Array(sorted.dropFirst())
        if count > sorted.count {
            first.others.append(
                ScenarioError(
                    file: file, "\(count - sorted.count) more mistakes follow", remedy: "correct these first"))
        }
        return first
    }
}
