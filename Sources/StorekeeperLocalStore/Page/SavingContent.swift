import Storekeeper
import StorekeeperPages
import StorekeeperSimulator

/// The form that saves the story as a test, with a checkbox for each expectation that is met at present.
struct SavingContent {
    /// The present state of a customer.
    struct Customer {
        let customerName: String
        let detailsID: String
        let isOpen: Bool
        let summary: String
        let groups: [Group]
    }

    /// The expectations of one kind.
    struct Group {
        let legend: String
        let items: [Item]
    }

    /// An expectation with a checkbox.
    struct Item {
        let tickID: String
        let subject: String
        let words: String
        let expectation: String
        let isTicked: Bool
    }

    /// A button that saves the test in one format.
    struct FormatButton {
        let format: String
        let label: String
        let help: String
    }

    let customers: [Customer]
    /// Whether some expectations are not listed.
    let isPartial: Bool
    /// The parameters of the page's URL, which the form submits again as hidden fields.
    let kept: [PageActionForm.Hidden]
    let formats: [FormatButton]
}

extension PageBuilder {
    /// The maximum number of customers who are listed when no customer is selected.
    private static let mostSavedCustomers = 8

    /// Returns the form that saves a test; the answers about the selected customer are ticked.
    ///
    /// - Throws: An error of the cryptographic library.
    func savingContent() throws -> SavingContent {
        var shown = accounts.prefix(Self.mostSavedCustomers).map(\.name)
        let selected = stranger == nil ? location.person.map { CustomerID(rawValue: $0) } : nil
        if let selected {
            shown.removeAll { $0 == selected }
            shown.insert(selected, at: 0)
        }
        // Each listed customer takes time, because the customer's evidence must be verified. In a large store, only the
        // selected customer is listed.
        if accounts.count > Self.mostSavedCustomers { shown = selected.map { [$0] } ?? [] }
        var rest = room
        var isPartial = shown.count < accounts.count
        let app = forms.app == served.scenario.apps.first?.bundleID ? nil : forms.app
        let customers = try shown.map { name in
            let present = try CustomerAnswersQuery.expectations(of: name, app: app, in: served)
            let items = present.items.prefix(rest)
            if items.count < present.items.count { isPartial = true }
            rest -= items.count
            return customer(name, Array(items), isSelected: name == selected)
        }
        return SavingContent(
            customers: customers, isPartial: isPartial,
            kept: location.showing(.scenario).fields.map { PageActionForm.Hidden(name: $0.name, value: $0.value) },
            formats: [
                ("file", "One file", "a scenario with its catalogs, for storekeeper simulate"),
                ("folder", "Folder", "a scenario and its catalogs, as a tar archive"),
                ("swift", "Swift", "a test for Swift Testing"), ("python", "Python", "a test for unittest or pytest"),
                ("curl", "curl", "a script for bash"),
            ].map { SavingContent.FormatButton(format: $0, label: $1, help: $2) })
    }

    private func customer(
        _ name: CustomerID, _ items: [PresentExpectations.Item], isSelected: Bool
    ) -> SavingContent.Customer {
        var groups: [(kind: PresentExpectations.Kind, items: [SavingContent.Item])] = []
        for item in items {
            let legend = Self.legend(of: item.kind)
            let row = SavingContent.Item(
                tickID: "tick-\("\(name) \(legend) \(item.subject)".percentEncoded)", subject: item.subject,
                words: item.words, expectation: item.text, isTicked: isSelected && item.isUsual)
            if let place = groups.firstIndex(where: { $0.kind == item.kind }) {
                groups[place].items.append(row)
            } else {
                groups.append((item.kind, [row]))
            }
        }
        let signed = items.count { if case .signed = $0.kind { true } else { false } }
        return SavingContent.Customer(
            customerName: name.rawValue, detailsID: "saving-\(name.rawValue.percentEncoded)", isOpen: isSelected,
            summary: "\(items.count - signed) answers, \(signed) signed values",
            groups: groups.map { .init(legend: Self.legend(of: $0.kind), items: $0.items) })
    }

    private static func legend(of kind: PresentExpectations.Kind) -> String {
        switch kind {
        case .answer: "Answers"
        case .balance: "Balances"
        case .subscription: "Subscriptions"
        case .signed(.transaction, let id, let product): "Transaction \(id) of \(product)"
        case .signed(let document, let id, let product): "Signed \(document.rawValue) of \(product), \(id)"
        }
    }
}
