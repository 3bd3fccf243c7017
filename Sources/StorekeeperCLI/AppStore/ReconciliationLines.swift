import Storekeeper
import StorekeeperAppStore

extension CustomerDifference {
    /// Returns the differences as text: the customer, and a line for each kind of difference.
    func lines(_ style: TerminalStyle) -> [String] {
        var lines = [style.bold(customer.rawValue.onOneLine)]
        func add(_ what: String, _ ids: [String], _ paint: (String) -> String = { $0 }) {
            guard !ids.isEmpty else { return }
            let shown = ids.prefix(4).joined(separator: ", ").onOneLine
            lines.append("  " + paint(what) + ": " + (ids.count > 4 ? "\(shown) and \(ids.count - 4) more" : shown))
        }
        let ending = isRepaired ? ", added" : ""
        add("missing" + ending, missing.map(\.transactionID.rawValue))
        add("changed" + ending, changed.map(\.transactionID.rawValue))
        add("renewal changed" + ending, renewals.map(\.rawValue))
        add("answer", answers.map { "\($0.productID) \($0.before) → \($0.after)" })
        add(
            "balance",
            balances.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value < 0 ? "" : "+")\($0.value)" })
        add("unclaimed", unclaimed.map(\.transactionID.rawValue), style.dim)
        add("unknown to the App Store", unknown.map(\.transactionID.rawValue), style.red)
        add("not verified", failures.map { "\($0)" }, style.red)
        add("not answered", [refusal.map(\.message)].compactMap { $0 }, style.red)
        return lines
    }

    /// The JSON object for this customer in the list of differences.
    var json: JSONText {
        func ids(_ keys: [TransactionKey]) -> JSONText { .array(keys.map { .string($0.transactionID.rawValue) }) }
        return .object([
            "customer": .string(customer.rawValue), "mended": .bool(isRepaired), "missing": ids(missing),
            "changed": ids(changed), "renewals": .array(renewals.map { .string($0.rawValue) }),
            "unclaimed": ids(unclaimed), "unknown": ids(unknown),
            "failures": .array(failures.map { .string("\($0)") }), "refusal": .text(refusal?.message),
            "answers": .array(
                answers.map {
                    .object([
                        "product": .text($0.productID), "before": .string($0.before),
                        "after": .string($0.after),
                    ])
                }),
            "balances": .members(
                Dictionary(
                    uniqueKeysWithValues: balances.map { (JSONText.MemberName($0.key.rawValue), .integer($0.value)) })),
        ])
    }
}

extension ReconciliationReport {
    /// Returns the last line of the report's text.
    func summary(isDryRun: Bool) -> String {
        let noun = compared == 1 ? "customer" : "customers"
        let earlier = resumed == 0 ? "" : " (\(resumed) of them in an earlier run)"
        guard differing > 0 else { return "Compared \(compared) \(noun)\(earlier): all agree." }
        let rest = isDryRun ? "nothing was changed" : "\(repaired) corrected, \(open) left to review"
        return "Compared \(compared) \(noun)\(earlier): \(differing) differ\(differing == 1 ? "s" : ""), \(rest)."
    }

    /// The JSON document.
    func json(_ differences: [CustomerDifference]) -> JSONText {
        .object([
            "compared": .whole(compared), "differing": .whole(differing), "mended": .whole(repaired),
            "open": .whole(open), "resumed": .whole(resumed), "requests": .whole(requests),
            "differences": .array(differences.map(\.json)),
        ])
    }
}
