/// The mistakes in a text, collected so that all of them are reported and not only the first.
///
/// The type is a class, because every node of the text adds its mistakes to the same list. Only the reader uses the
/// list.
final class ScenarioMistakes {
    /// The name of the text's file, for messages.
    let file: String
    private var found: Set<ScenarioError> = []
    /// The number of mistakes, including those that are not reported one by one.
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

    /// All mistakes as one error, in the order of the text; `nil` if there are none.
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
