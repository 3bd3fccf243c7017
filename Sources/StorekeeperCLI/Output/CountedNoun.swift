extension Int {
    /// Returns the number with a noun that has a regular plural, such as `1 fact` or `2 facts`.
    func of(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}
