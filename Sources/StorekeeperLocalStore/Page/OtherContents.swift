import Storekeeper
import StorekeeperPages
import StorekeeperSimulator

/// The content of the view that lists the notifications to the app's server.
struct NotificationsContent {
    struct Row {
        let happening: String
        let time: String
        let type: String
        let subtype: String?
        /// A sentence that explains this kind of happening.
        let sentence: String
        let customer: String
        let product: String
        let address: String
        let isSelected: Bool
        let attempts: [Attempt]
        /// Whether a fault has dropped the notification.
        let isDropped: Bool
        let isUnsent: Bool
    }

    struct Attempt {
        /// The instant of the attempt; `nil` if the attempt was made when the happening occurred.
        let later: String?
        /// The result, and the status and time of the response.
        let result: String
        let mark: String
        let isSuccess: Bool
    }

    struct Inspected {
        let happening: String
        let kind: String
        /// The instants of the attempts, with their results and the bodies of the responses.
        let tries: [Fact]
        let wasDropped: Bool
        let payloads: [PayloadContent]
        let closeAddress: String
    }

    let hasWebhook: Bool
    let rows: [Row]
    /// The number of notifications, such as `3 notifications`.
    let summary: String
    let paging: PageContent.Paging?
    let test: PageActionForm?
    let inspected: Inspected?
}

/// The content of the view of the story, which lists the happenings, newest first.
struct StoryContent {
    struct Line {
        let time: String
        let customer: String?
        let words: String
        /// A sentence that explains this kind of happening.
        let sentence: String
    }

    let lines: [Line]
    /// The number of happenings, such as `12 events`.
    let summary: String
    let paging: PageContent.Paging?
}

/// The content of the view of the store, with its actions, settings and faults.
struct StoreContent {
    struct Setting {
        let settingID: String
        let name: String
        let current: String
        let values: [PageContent.Choice]
        let isText: Bool
    }

    /// The actions for which a button is sufficient.
    let oneClick: [PageActionForm]
    let acts: [PageActionForm]
    let settings: [Setting]
    /// The active faults of the app.
    let faults: [String]
    let app: String
    /// The bundle id; `nil` if the store has only one app.
    let namedApp: String?
}

/// The content of the view that shows a scenario that reproduces everything that has happened.
struct ScenarioContent {
    let text: String
    /// The number of steps, such as `14 steps`.
    let steps: String
    let catalogs: [String]
    /// The text of a scenario that was refused.
    let typed: String
    /// The form that saves the scenario as a test.
    let saving: SavingContent

    /// The maximum number of calls; the page does not show the scenario of a store with more calls.
    private static let mostCalls = 2000

    init(_ served: ServedScenario, typed: String?, saving: SavingContent) {
        self.typed = typed ?? ""
        self.saving = saving
        if served.store.calls.count > Self.mostCalls {
            text = "# The story is too long to be shown here."
            steps = "more than \(Self.mostCalls) steps"
        } else {
            let saved = served.savedScenario
            text = saved.text
            steps = "\(saved.steps.count) steps"
        }
        catalogs = Set(served.scenario.catalogs.flatMap(\.self)).sorted()
    }
}

extension PageBuilder {
    /// Returns the content of the view of notifications.
    ///
    /// - Throws: An error of the cryptographic library.
    func notificationsContent() throws -> NotificationsContent {
        var query = happeningQuery
        query.isOfNotifications = true
        query.includesStore = false
        let listing = stranger == nil ? served.store.listing(query) : nil
        let selected = location.selected.flatMap(Int.init).flatMap { served.store.happening($0) }.flatMap { happening in
            happening.notification != nil
                && (location.person == nil || happening.customer?.rawValue == location.person) ? happening : nil
        }
        return NotificationsContent(
            hasWebhook: served.outbox.hasWebhook, rows: listing?.happenings.map(row) ?? [],
            summary: summary(of: listing, "notification"), paging: paging(of: listing),
            test: PageAction.named("test notification").map { forms.form($0) },
            inspected: try selected.flatMap { happening in
                try served.store.notification(of: happening.id).map { jws in
                    NotificationsContent.Inspected(
                        happening: String(happening.id), kind: happening.notification ?? "",
                        tries: served.outbox.attempts(of: happening.id).map {
                            Fact(
                                factName: PageTime.text($0.at), factValue: $0.response.words,
                                hint: $0.response.body.flatMap { $0.isEmpty ? nil : $0 })
                        }, wasDropped: served.outbox.isDropped(happening.id),
                        payloads: [PayloadContent("Signed payload", id: "payload", jws: jws, isOpen: true)]
                            + PayloadContent.inner(of: jws).map { PayloadContent($0.name, id: $0.name, jws: $0.jws) },
                        closeAddress: location.with { $0.selected = nil }.address)
                }
            })
    }

    private func row(_ happening: Happening) -> NotificationsContent.Row {
        let attempts = served.outbox.attempts(of: happening.id)
        let isDropped = served.outbox.isDropped(happening.id)
        let kind = (happening.notification ?? "").split(separator: "/", maxSplits: 1).map(String.init)
        return NotificationsContent.Row(
            happening: String(happening.id), time: PageTime.text(happening.at), type: kind.first ?? "",
            subtype: kind.count > 1 ? kind.last : nil,
            sentence: happening.kind.sentence,
            customer: happening.customer?.rawValue ?? "–", product: happening.productID.map { names[$0] } ?? "–",
            address: location.with { $0.selected = String(happening.id) }.address,
            isSelected: location.selected == String(happening.id),
            attempts: attempts.map { attempt in
                .init(
                    later: attempt.at > happening.at ? PageTime.text(attempt.at) : nil, result: attempt.response.words,
                    mark: attempt.result == .success ? "✓" : "✕", isSuccess: attempt.result == .success)
            }, isDropped: isDropped, isUnsent: attempts.isEmpty && !isDropped)
    }

    func storyContent() -> StoryContent {
        var query = happeningQuery
        query.pageSize = Self.eventsSize
        let listing = stranger == nil ? served.store.listing(query) : nil
        return StoryContent(
            lines: (listing?.happenings ?? []).map {
                .init(
                    time: PageTime.text($0.at), customer: $0.customer?.rawValue,
                    words: $0.words(calling: $0.kind.title),
                    sentence: $0.kind.sentence)
            }, summary: summary(of: listing, "event"), paging: paging(of: listing, size: Self.eventsSize))
    }

    private var happeningQuery: HappeningQuery {
        var query = HappeningQuery()
        query.customer = location.person.map { CustomerID(rawValue: $0) }
        query.page = location.page
        query.pageSize = Self.pageSize
        return query
    }

    private func summary(of listing: HappeningListing?, _ noun: String) -> String {
        PageTexts.count(listing?.count ?? 0, noun)
    }

    private func paging(of listing: HappeningListing?, size: Int = PageBuilder.pageSize) -> PageContent.Paging? {
        listing.flatMap { paging(page: $0.page, of: $0.count, size: size) }
    }

    func storeContent() -> StoreContent {
        let settings = (try? served.store.settings(of: forms.app)) ?? AppSettings()
        return StoreContent(
            oneClick: PageAction.all(at: .store).filter { $0.subject == .nothing }.map { forms.form($0) },
            acts: PageAction.all(at: .store).filter { $0.subject.isProduct || $0.subject == .fault }.map {
                forms.form($0)
            },
            settings: settings.words.map { word in
                let isTyped = forms.typed?.value("setting") == word.key
                let value = isTyped ? forms.typed?.value("value") ?? word.value : word.value
                return StoreContent.Setting(
                    settingID: "setting-\(word.key.replacing(" ", with: "-"))", name: word.key, current: value,
                    values: word.choices.map { .init(value: $0, label: $0, isChosen: $0 == value) },
                    isText: word.choices.isEmpty)
            },
            faults: served.faults.active.filter { $0.app == forms.app }.map(\.words), app: forms.app,
            namedApp: served.scenario.apps.count > 1 ? forms.app : nil)
    }
}

extension WebhookResponse {
    /// The result with the status and the time of the response: `SUCCESS, status 200, 12 ms`.
    fileprivate var words: String {
        ([result.rawValue, status.map { "status \($0)" }, milliseconds.map { "\($0) ms" }] as [String?]).compactMap(
            \.self
        )
        .joined(separator: ", ")
    }
}
