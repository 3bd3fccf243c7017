import Storekeeper

/// What StoreKit 2 would contain on a device, as `explain --storekit` prints it.
struct DeviceReport {
    let contents: DeviceContents
    let isVerified: Bool
    let diagnostics: [Diagnostic]
    /// The note that the vault has no data about the customer; `nil` if the vault has data, or if evidence files are
    /// read.
    let absence: String?

    /// The JSON document.
    var json: JSONText {
        var members = contents.members
        members["verified"] = .bool(isVerified)
        members["diagnostics"] = .array(diagnostics.map(\.json))
        return .object(members)
    }

    /// Returns the contents as text, wrapped to a width.
    func lines(_ style: TerminalStyle, width: Int) -> [String] {
        var lines = absence.map { Paragraph.lines($0, width: width) } ?? []
        lines += ["", style.bold("Transaction.currentEntitlements")] + rows(contents.currentEntitlements, width)
        lines += ["", style.bold("Transaction.all")] + rows(contents.all, width)
        lines += ["", style.bold("Transaction.latest(for:)")] + rows(contents.latest, width)
        lines += ["", style.bold("Product.SubscriptionInfo.status")]
        if contents.statuses.isEmpty { lines.append("  none") }
        for (group, statuses) in contents.statuses {
            for status in statuses {
                lines += Paragraph.lines(
                    "\(group.name ?? group.id.rawValue): \(status.state.rawValue), transaction "
                        + "\(status.transaction.id) of \(status.transaction.productID)", width: width, first: "  ",
                    indent: "    ")
            }
        }
        guard !contents.absent.isEmpty else { return lines }
        lines += ["", style.bold("Not in currentEntitlements")]
        for absent in contents.absent {
            let name =
                absent.transaction.map { "transaction \($0.id) of \(absent.productID)" } ?? absent.productID.rawValue
            lines += Paragraph.lines(
                "\(name): \(absent.reason.rawValue), \(absent.sentence)", width: width, first: "  ", indent: "    ")
        }
        return lines
    }

    private func rows(_ transactions: [Transaction], _ width: Int) -> [String] {
        guard !transactions.isEmpty else { return ["  none"] }
        return transactions.flatMap { transaction in
            Paragraph.lines(
                "transaction \(transaction.id) of \(transaction.productID), \(transaction.ownershipType.word), bought "
                    + "\(transaction.purchasedAt)", width: width, first: "  ", indent: "    ")
        }
    }
}
