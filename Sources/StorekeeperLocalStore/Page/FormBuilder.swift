import Storekeeper
import StorekeeperPages
import StorekeeperSimulator

/// A builder of the page's forms, whose actions affect a customer, a transaction or the store.
struct FormBuilder {
    let served: ServedScenario
    /// The bundle id of the app that the actions affect.
    let app: String
    /// The customers to choose from; if the list is longer than ``longestList``, the user types a name instead.
    let people: [CustomerID]
    let names: ProductNames
    /// The product that was bought last; `nil` if none was bought.
    var bought: String?
    /// The maximum number of customers in a list of choices.
    static let longestList = 100
    /// The submitted fields of a refused form, by name.
    let typed: FormBody?
    /// The reasons why the form was refused.
    var complaints: [String] = []

    /// Returns the reason why a field of the form was refused, which is the first reason that quotes the field's value
    /// or key.
    func problem(with name: String) -> String? {
        typed?.value(name).flatMap { value in
            let key = name.hasPrefix("key-") ? String(name.dropFirst(4)) : name
            return complaints.first { $0.contains("'\(value)'") || $0.contains("'\(key)'") }
        }
    }

    private var products: [Product] { (try? served.store.catalog(of: app))?.products ?? [] }

    /// Returns the form of an action about a customer, a transaction or the store.
    ///
    /// - Parameters:
    ///   - person: The customer; with `nil`, the form has a field for the customer if the action needs one.
    ///   - item: The transaction.
    ///   - product: The product; with `nil`, the form has a field for the product if the action needs one.
    ///   - place: A prefix of the form's id, so that the same form can occur in several places of the page.
    func form(
        _ act: PageAction, person: CustomerID? = nil, item: TransactionSummary? = nil,
        product: Product.ID? = nil, at place: String = "act"
    ) -> PageActionForm {
        let id = "\(place)-\(act.word.name.replacing(" ", with: "-"))"
        var hidden = [PageActionForm.Hidden(name: "word", value: act.word.name)]
        var fields: [PageActionForm.Field] = []
        func field(
            _ name: String, _ label: String, isNeeded: Bool = false, text: PageActionForm.TextControl? = nil,
            number: PageActionForm.NumberControl? = nil, choices: PageActionForm.ChoiceControl? = nil
        ) {
            fields.append(
                PageActionForm.Field(
                    fieldID: "\(id)-\(name.replacing(" ", with: "-"))", fieldName: name, fieldLabel: label,
                    isNeeded: isNeeded, text: text, number: number, choices: choices,
                    problem: typed?.value("word") == act.word.name && choices == nil ? problem(with: name) : nil))
        }
        func customer(_ name: String, _ label: String, _ people: [CustomerID]) {
            if people.count > Self.longestList {
                field(name, label, isNeeded: true, text: text(name, act, placeholder: "a name"))
            } else {
                field(name, label, isNeeded: true, choices: choice(people.map(\.rawValue), name, act))
            }
        }
        switch act.subject {
        case .purchase:
            hidden.append(.init(name: "subject", value: "transaction \(item?.id.rawValue ?? "")"))
        case _ where act.subject.isProduct && (item != nil || product != nil):
            hidden.append(.init(name: "subject", value: (product ?? item?.productID)?.rawValue ?? ""))
        case .product(let offered), .soldProduct(let offered):
            let labels = { (id: String) in names.choice(Product.ID(id)) }
            field(
                "subject", "product", isNeeded: true,
                choices: choice(
                    products(offered), "subject", act, standard: act.word.name == "buy" ? bought : nil, label: labels))
        case .person where person != nil: hidden.append(.init(name: "subject", value: person?.rawValue ?? ""))
        case .person:
            customer("subject", "customer", people)
        case .newPerson: field("subject", "name", isNeeded: true, text: text("subject", act, placeholder: "anna"))
        case .span: field("subject", "span", isNeeded: true, text: text("subject", act, placeholder: "31 days"))
        case .time: field("subject", "time", isNeeded: true, text: text("subject", act, placeholder: "2026-12-31"))
        case .fault:
            let places = SimulatedFault.Place.allCases.map(\.rawValue) + ["none"]
            field("subject", "where", isNeeded: true, choices: choice(places, "subject", act))
        default: break
        }
        if case .product = act.subject {
            if let person {
                hidden.append(.init(name: "by", value: person.rawValue))
            } else {
                customer("by", "customer", people)
            }
        }
        if served.scenario.apps.count > 1 { hidden.append(.init(name: "app", value: item?.app ?? app)) }
        for one in act.fields {
            let name = "key-\(one.name)"
            switch one.control {
            case .text(let placeholder, let list):
                field(
                    name, one.label, isNeeded: one.need != .optional,
                    text: text(name, act, placeholder: placeholder, list: list))
            case .number(let range):
                field(
                    name, one.label, isNeeded: one.need != .optional,
                    number: .init(least: range.lowerBound, most: range.upperBound, typed: value(name, act) ?? ""))
            case .choice(let words):
                field(name, one.label, choices: choice(words, name, act, none: "as usual"))
            case .person:
                customer(name, one.label, people.filter { $0 != person })
            }
        }
        return PageActionForm(
            formID: id, word: act.word.name, actTitle: act.title, help: act.help, hidden: hidden, fields: fields,
            isDangerous: act.form.isDangerous, isOpen: typed?.value("word") == act.word.name)
    }

    /// Returns the forms of the buttons next to a purchase, for the actions that are possible now.
    ///
    /// - Parameter willRenew: Whether the subscription will renew; `nil` if the purchase has no active subscription.
    func inlineForms(of details: TransactionInspection, willRenew: Bool?) -> [PageActionForm] {
        let item = details.transaction
        return (item.awaitsPriceConsent ? consentForms(of: item, at: "near") : [])
            + PageAction.near.filter { $0.form.isPossibleForPurchase(details, willRenew) }.map {
                form($0, person: item.person, item: item, at: "near")
            }
    }

    /// Returns the two buttons of the switch that lets a customer's payments succeed or fail; the button of the present
    /// state is pressed.
    func paymentSwitch(of account: AccountSummary) -> [PageActionForm] {
        [("fix billing", "succeed"), ("fail billing", "fail")].compactMap { word, title in
            PageAction.named(word).map { act in
                var form = form(act, person: account.name, at: "customer")
                form.actTitle = title
                form.isPossible = act.form.isPossible(account)
                form.isPressed = !form.isPossible
                return form
            }
        }
    }

    /// Returns the forms of the other actions on a customer that need only a button and are possible now.
    func oneClickForms(of account: AccountSummary) -> [PageActionForm] {
        PageAction.all(at: .customer).filter {
            $0.isOneClick && $0.form.isPossible(account) && !["fail billing", "fix billing"].contains($0.word.name)
        }.map { form($0, person: account.name, at: "customer") }
    }

    /// Returns the forms that answer a request for consent to a higher price.
    func consentForms(of item: TransactionSummary, at place: String) -> [PageActionForm] {
        guard let act = PageAction.named("consent") else { return [] }
        return [("Agree", "yes"), ("Decline", "no")].map { title, answer in
            let form = form(act, person: item.person, item: item, at: place)
            var answerForm = PageActionForm(
                formID: "\(form.formID)-\(answer)-\(item.id.rawValue)", word: form.word,
                actTitle: "\(title) to the higher price".replacing("Decline to", with: "Decline"), help: form.help,
                hidden: form.hidden + [.init(name: "key-answer", value: answer)], fields: [], isDangerous: false,
                isOpen: false, isPossible: item.awaitsPriceConsent)
            answerForm.shortTitle = title
            return answerForm
        }
    }

    /// Returns the ids of the products of a choice; of all products if none fits.
    private func products(_ choice: StepSubject.Products) -> [String] {
        let fitting = products.filter { product in
            switch choice {
            case .all: true
            case .subscriptions: product.type == .autoRenewable
            case .withOfferCodes: product.offers.contains { $0.kind == .code }
            }
        }
        return (fitting.isEmpty ? products : fitting).map(\.id.rawValue)
    }

    private func value(_ name: String, _ act: PageAction) -> String? {
        typed?.value("word") == act.word.name ? typed?.value(name) : nil
    }

    private func text(
        _ name: String, _ act: PageAction, placeholder: String, list: String? = nil
    ) -> PageActionForm.TextControl {
        .init(placeholder: placeholder, list: list, typed: value(name, act) ?? "")
    }

    private func choice(
        _ words: [String], _ name: String, _ act: PageAction, none: String? = nil, standard: String? = nil,
        label: (String) -> String = { $0 }
    ) -> PageActionForm.ChoiceControl {
        let chosen = value(name, act) ?? standard
        return .init(
            none: none, values: words.map { .init(value: $0, label: label($0), isChosen: $0 == chosen) })
    }

    /// The suggestions for text fields.
    var suggestions: [PageContent.SuggestionList] {
        let offers = products.flatMap(\.offers)
        func names(_ kind: SubscriptionOffer.Kind) -> [String] {
            offers.filter { $0.kind == kind }.compactMap(\.id?.rawValue)
        }
        let references =
            ["introductory"]
            + [SubscriptionOffer.Kind.promotional, .winBack, .code].flatMap { kind in
                names(kind).map { "\(kind.rawValue) \($0)" }
            }
        return [
            .init(listID: "offers", values: references), .init(listID: "codes", values: names(.code)),
            .init(listID: "countries", values: ["USA", "DEU", "FRA", "GBR", "JPN", "BRA", "IND", "AUS"]),
            .init(listID: "products", values: products.map(\.id.rawValue)),
            .init(
                listID: "manners",
                values: SimulatedFault.Place.massExtensionStatus.effects + SimulatedFault.Place.notifications.effects),
        ]
    }
}
