public import Storekeeper

/// Fills gaps in the received notifications by reading the App Store's history of notifications.
///
/// A repair reads the history page by page. It skips notifications that the vault has recorded as completed, and
/// processes all other notifications as if they had just been posted. After each page, the position is stored, so that
/// an interrupted repair resumes after that page. Processing a notification twice does no harm. At most one page is in
/// memory.
///
/// - SeeAlso: Apple, "App Store Server API: Get Notification History".
public struct NotificationRepair: Sendable {
    private let source: any NotificationHistorySource
    private let receiver: NotificationReceiver
    private let name: String
    private let concurrency: Int
    /// The maximum number of refusals that a report lists.
    private static let listed = 100
    /// The maximum number of different attempt results that a report counts.
    private static let words = 50
    /// The number of times that the token of one query may expire before the repair fails.
    private static let restarts = 3
    /// The maximum number of pages of one query, which the App Store's history of 180 days does not reach.
    private static let maximumPages = 1_000_000

    /// Creates a repair.
    ///
    /// - Parameters:
    ///   - source: The history to read.
    ///   - receiver: The receiver that processes missing notifications.
    ///   - name: The name of the repair's stored position; concurrent repairs need different names.
    ///   - concurrency: The number of notifications to process at the same time, at least 1.
    public init(
        source: any NotificationHistorySource, receiver: NotificationReceiver, name: String = "notification-repair",
        concurrency: Int = 8
    ) {
        self.source = source
        self.receiver = receiver
        self.name = name
        self.concurrency = max(concurrency, 1)
    }

    /// Runs a plan, from the position that the vault has stored for it.
    ///
    /// - Returns: The results of this run only, without the results of an earlier, interrupted run.
    /// - Throws: ``NotificationRepairError``. Notifications that were already processed remain stored, and the next run
    ///   starts at the first page that was not completed.
    public func run(_ plan: RepairPlan) async throws(NotificationRepairError) -> RepairReport {
        var report = RepairReport()
        var place = RepairPlace(try await readPlace(), in: plan) ?? RepairPlace(beginningOf: plan)
        var restarts = 0
        var walk = PageWalk(maximumPages: Self.maximumPages)
        while place.query < plan.queries.count {
            guard !Task.isCancelled else { throw NotificationRepairError(.cancelled, "the repair was cancelled") }
            let page: NotificationHistoryPage
            do {
                page = try await source.page(of: plan.queries[place.query], after: place.token)
            } catch is NotificationHistoryTokenExpired where place.token != nil && restarts < Self.restarts {
                // Read this query again from its first page; notifications that were already processed are skipped.
                restarts += 1
                place.token = nil
                walk = PageWalk(maximumPages: Self.maximumPages)
                continue
            } catch {
                throw NotificationRepairError(.source, "the history could not be read; run it again", cause: error)
            }
            report.pages += 1
            try await process(page, &report)
            try Self.advance(&place, behind: page, &walk)
            if place.token == nil {
                restarts = 0
                walk = PageWalk(maximumPages: Self.maximumPages)
            }
            try await write(place)
        }
        return report
    }

    /// Moves the position to the next page, or to the first page of the next query.
    private static func advance(
        _ place: inout RepairPlace, behind page: NotificationHistoryPage, _ walk: inout PageWalk
    ) throws(NotificationRepairError) {
        guard page.hasMore else {
            place.query += 1
            place.token = nil
            return
        }
        guard let token = page.token, !token.isEmpty else {
            throw NotificationRepairError(
                .endlessHistory, "the history has more pages but no token for the next one: report it to Apple")
        }
        guard token != place.token else {
            throw NotificationRepairError(.endlessHistory, "the history returned the same page token again")
        }
        if let fault = walk.fault(after: token, itemCount: page.items.count) {
            throw NotificationRepairError(.endlessHistory, fault)
        }
        place.token = token
    }

    // MARK: A page

    private func process(
        _ page: NotificationHistoryPage, _ report: inout RepairReport
    ) async throws(NotificationRepairError) {
        let claimed = page.items.map { NotificationReceiver.claimedUUID(of: $0.signedPayload) }
        let seen: Set<ServerNotification.ID>
        do {
            seen = try await receiver.finished(among: claimed.compactMap { $0 })
        } catch {
            throw NotificationRepairError(.vault, "the vault could not be read; run the repair again", cause: error)
        }
        report.read += page.items.count
        let missing = zip(page.items, claimed).filter { _, uuid in uuid.map { !seen.contains($0) } ?? true }
        report.known += page.items.count - missing.count
        for (item, _) in missing { Self.count(item.attempts, in: &report) }
        let (receiver, payloads) = (receiver, missing.map(\.0.signedPayload))
        let limit = concurrency
        var failure: NotificationFailure?
        await withTaskGroup(of: NotificationReply.self) { group in
            var rest = payloads[...]
            for payload in rest.prefix(limit) { group.addTask { await receiver.receive(signedPayload: payload) } }
            rest = rest.dropFirst(limit)
            while let reply = await group.next() {
                switch reply.outcome {
                case .accepted: report.repaired += 1
                case .repeated: report.known += 1
                case .refused(let refusal):
                    report.refused += 1
                    if report.refusals.count < Self.listed { report.refusals.append(refusal) }
                case .failed(let error): failure = failure ?? error
                }
                // After a failure, start no more tasks, and wait for the tasks in flight.
                if failure == nil, let payload = rest.popFirst() {
                    group.addTask { await receiver.receive(signedPayload: payload) }
                }
            }
        }
        guard let failure else { return }
        throw NotificationRepairError(
            .notTakenIn, "a notification could not be processed; run it again", cause: failure)
    }

    /// Counts the App Store's attempts to send a notification, by result.
    ///
    /// At most `words` different results are counted. The App Store has fewer different results, so the limit applies
    /// only to a faulty source.
    private static func count(_ attempts: [NotificationHistoryPage.Attempt], in report: inout RepairReport) {
        for attempt in attempts where report.attempts[attempt.result] != nil || report.attempts.count < words {
            report.attempts[attempt.result, default: 0] += 1
        }
    }

    // MARK: The place

    private func readPlace() async throws(NotificationRepairError) -> UpdateCursor? {
        do { return try await receiver.store.vault.cursor(of: name) } catch {
            throw NotificationRepairError(.vault, "the vault could not be read; run the repair again", cause: error)
        }
    }

    private func write(_ place: RepairPlace) async throws(NotificationRepairError) {
        do { try await receiver.store.vault.setCursor(place.cursor, of: name) } catch {
            throw NotificationRepairError(
                .vault, "the position could not be stored; the next run reads one page again", cause: error)
        }
    }
}
