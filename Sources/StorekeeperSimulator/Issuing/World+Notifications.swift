import Storekeeper

extension World {
    /// Returns the signing date of the notification about an entry, which is never earlier than the signing date of an
    /// item in the notification.
    func signingDate(of entry: JournalEntry) -> Instant {
        let transaction = entry.record.map { records[$0].signedAt } ?? entry.at
        let renewal = entry.renewalRecord.map { renewalRecords[$0].signedAt } ?? entry.at
        return max(entry.at, transaction, renewal)
    }

    /// Returns the members of the notification's `data` or `summary`, except the signed transaction and renewal info.
    ///
    /// - SeeAlso: Apple, "App Store Server Notifications: data" and "summary".
    func notificationData(of entry: JournalEntry) -> [String: JSONText] {
        if let extensions = entry.extensions {
            let summary = extensionSummaries[extensions]
            let app = apps[summary.app]
            return common(app).merging([
                "productId": .text(app.product(summary.product).id),
                "requestIdentifier": .string(summary.requestID),
                "storefrontCountryCodes": summary.storefronts.isEmpty
                    ? .null : .array(summary.storefronts.map(JSONText.string)),
                "succeededCount": .integer(Int64(summary.succeeded)),
                "failedCount": .integer(Int64(summary.failed)),
            ]) { $1 }
        }
        let app = apps[entry.download.map { downloads[$0].app } ?? entry.app ?? apps.startIndex]
        var members = common(app)
        if entry.kind == .seatsUnclaimed {
            members["originalTransactionId"] = .text(entry.record.map { id(of: records[$0].original) })
            members["unclaimSeatIds"] = .array(
                entry.note.map { notes[$0].split(separator: " ").map { .string(String($0)) } } ?? [])
            return members
        }
        // A test notification does not contain the version of an installed app.
        if entry.kind != .testRequested { members["bundleVersion"] = .string(app.version) }
        if entry.status > 0 { members["status"] = .integer(Int64(entry.status)) }
        if entry.kind == .refundRequested {
            members["consumptionRequestReason"] = .text(entry.note.map { notes[$0] })
        }
        return members
    }

    private func common(_ app: App) -> [String: JSONText] {
        [
            "environment": .string(environment.rawValue),
            "bundleId": .string(app.bundleID),
            "appAppleId": environment == .production ? .integer(app.appleID) : .null,
        ]
    }
}
