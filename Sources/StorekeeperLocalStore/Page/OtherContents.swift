import Storekeeper
import StorekeeperPages
import StorekeeperSimulator

/// The notifications to the app's server, with their results.
struct NotificationsContent {
    struct Row {
        let happening: String
        let time: String
        let type: String
        let subtype: String?
        let customer: String
        let product: String
        let address: String
        let isSelected: Bool
        let attempts: [Attempt]
        let isUnsent: Bool
    }

    struct Attempt {
        /// The instant of the attempt, if it was later than the event.
        let later: String?
        let result: String
        let mark: String
        let isSuccess: Bool
    }

    struct Inspected {
        let happening: String
        let kind: String
        /// The instants of the attempts, with their results.
        let tries: [Fact]
        let payloads: [PayloadContent]
        let closeAddress: String
    }

    let hasWebhook: Bool
    let rows: [Row]
    let count: Int
    let paging: PageContent.Paging?
    let test: PageActionForm?
    let inspected: Inspected?
}

/// The happenings, newest first.
struct StoryContent {
    struct Line {
        let time: String
        let customer: String?
        let words: String
    }

    let lines: [Line]
    let count: Int
    let paging: PageContent.Paging?
}

/// The actions about the store and its settings.
struct StoreContent {
    struct Setting {
        let settingID: String
        let name: String
        let current: String
        let values: [PageContent.Choice]
        let isText: Bool
    }

    let acts: [PageActionForm]
    let settings: [Setting]
    let products: [ProductRow]
    /// The active faults of the app.
    let faults: [String]
    let app: String
    /// The bundle id if there are several apps.
    let namedApp: String?

    struct ProductRow {
        let id: String
        let type: String
        let price: String
        let group: String
    }
}

/// The scenario that reproduces everything that has happened.
struct ScenarioContent {
    let text: String
    /// The number of steps, in words.
    let steps: String
    let catalogs: [String]
    /// The text of a scenario that was refused.
    let typed: String
    /// The form that saves it as a test.
    let saving: SavingContent

    /// The maximum number of calls of a store whose scenario is shown.
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
    /// - Throws: An error of the cryptographic library.
    func notificationsContent() throws -> NotificationsContent {
        let all = served.store.happenings().reversed().filter { happening in
            happening.notification != nil && (location.person == nil || happening.customer?.rawValue == location.person)
        }
        let (shown, paging) = page(of: all)
        let selected = location.selected.flatMap(Int.init).flatMap { id in all.first { $0.id == id } }
        return NotificationsContent(
            hasWebhook: served.outbox.hasWebhook, rows: shown.map(row), count: all.count,
            paging: paging, test: PageAction.named("test notification").map { forms.form($0) },
            inspected: try selected.flatMap { happening in
                try served.store.notification(of: happening.id).map { jws in
                    NotificationsContent.Inspected(
                        happening: String(happening.id), kind: happening.notification ?? "",
                        tries: served.outbox.attempts(of: happening.id).map {
                            Fact(factName: $0.at.brief, factValue: $0.result.rawValue)
                        },
                        payloads: [PayloadContent("Signed payload", id: "payload", jws: jws, isOpen: true)]
                            + PayloadContent.inner(of: jws).map { PayloadContent($0.name, id: $0.name, jws: $0.jws) },
                        closeAddress: location.with { $0.selected = nil }.address)
                }
            })
    }

    private func row(_ happening: Happening) -> NotificationsContent.Row {
        let attempts = served.outbox.attempts(of: happening.id)
        let kind = (happening.notification ?? "").split(separator: "/", maxSplits: 1).map(String.init)
        return NotificationsContent.Row(
            happening: String(happening.id), time: happening.at.brief, type: kind.first ?? "",
            subtype: kind.count > 1 ? kind.last : nil,
            customer: happening.customer?.rawValue ?? "–", product: happening.productID?.rawValue ?? "–",
            address: location.with { $0.selected = String(happening.id) }.address,
            isSelected: location.selected == String(happening.id),
            attempts: attempts.map { attempt in
                .init(
                    later: attempt.at > happening.at ? attempt.at.brief : nil, result: attempt.result.rawValue,
                    mark: attempt.result == .success ? "✓" : "✕", isSuccess: attempt.result == .success)
            }, isUnsent: attempts.isEmpty)
    }

    func storyContent() -> StoryContent {
        let all = served.store.happenings().reversed().filter {
            location.person == nil || $0.customer == nil || $0.customer?.rawValue == location.person
        }
        let (shown, paging) = page(of: all, size: Self.eventsSize)
        return StoryContent(
            lines: shown.map {
                .init(time: $0.at.brief, customer: $0.customer?.rawValue, words: $0.words)
            }, count: all.count, paging: paging)
    }

    func storeContent() -> StoreContent {
        let catalog = (try? served.store.catalog(of: forms.app)) ?? .empty
        let settings = (try? served.store.settings(of: forms.app)) ?? AppSettings()
        return StoreContent(
            acts: PageAction.all(at: .store).filter { $0.subject != .setting && $0.subject != .newPerson }.map {
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
            products: catalog.products.map { product in
                StoreContent.ProductRow(
                    id: product.id.rawValue, type: product.type?.rawValue ?? "–",
                    price: product.price.map { "\($0)\(product.currencyCode.map { " \($0)" } ?? "")" } ?? "–",
                    group: catalog.group(containing: product.id).map { $0.name ?? $0.id.rawValue } ?? "–")
            }, faults: served.faults.active.filter { $0.app == forms.app }.map(\.words), app: forms.app,
            namedApp: served.scenario.apps.count > 1 ? forms.app : nil)
    }
}
