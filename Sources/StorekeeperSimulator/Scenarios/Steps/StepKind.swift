import Storekeeper

/// A kind of step of scenarios: its keyword, its value and keys, the action that it makes, and its form on the page of
/// the transaction manager.
///
/// The reader and the writer of scenarios, their JSON schema, the list of steps in the documentation, the typed steps and
/// the forms of the page follow from ``all``.
package struct StepKind: Sendable {
    /// The names of the keys of steps; extensions declare the keys next to the steps that have them.
    enum Key {}

    /// The keyword.
    package let name: String
    /// The kind of the value after the keyword.
    package let subject: StepSubject
    /// The further keys, without the keys that name a person and without ``commonKeys``.
    package let parameters: [any StepParameter]
    /// A short description.
    package let help: String
    /// The form of the page; `nil` for a step that needs an engine, which a local App Store does not have.
    package let form: StepForm?
    /// Returns the action of a step.
    let read: @Sendable (StepDraft) throws(ScenarioError) -> ScenarioStep.Action
    /// Returns the value and the keys of a step that performs an action; `nil` if another kind of step performs it.
    let values: @Sendable (ScenarioStep.Action, ScenarioWriter) -> StepValues?

    /// Creates a kind of step whose action is not a command, or not one command.
    ///
    /// - Parameters:
    ///   - reads: Returns the action of a step.
    ///   - writes: Returns the value and the keys with which a step states an action; `nil` for an action of another kind.
    init(
        _ name: String, _ subject: StepSubject, _ help: String, _ parameters: [any StepParameter] = [],
        form: StepForm? = nil,
        readsAction read: @escaping @Sendable (StepDraft) throws(ScenarioError) -> ScenarioStep.Action,
        writesAction values: @escaping @Sendable (ScenarioStep.Action, ScenarioWriter) -> StepValues?
    ) {
        self.name = name
        self.subject = subject
        self.help = help
        self.parameters = parameters
        self.form = form
        self.read = read
        self.values = values
    }

    /// Creates a kind of step that performs a command.
    init(
        _ name: String, _ subject: StepSubject, _ help: String, _ parameters: [any StepParameter] = [],
        form: StepForm,
        reads command: @escaping @Sendable (StepDraft) throws(ScenarioError) -> SimulatorCommand,
        writes values: @escaping @Sendable (SimulatorCommand) -> StepValues?
    ) {
        self.init(name, subject, help, parameters, form: form) { step throws(ScenarioError) in
            .perform([try command(step)])
        } writesAction: { action, _ in
            if case .perform(let commands) = action { commands.first.flatMap(values) } else { nil }
        }
    }

    /// All kinds of steps.
    package static let all = ofPurchases + ofSubscriptions + ofRefundsAndSeats + ofPeople + ofEngines

    /// Returns the kind of step with a keyword.
    package static func named(_ name: String) -> StepKind? { all.first { $0.name == name } }

    /// The keys that name the person whom a step concerns; a step has at most one of them.
    package static let personKeys = ["by", "for", "of"]
    /// The further keys that every step can have.
    package static let commonKeys = ["as", "app", "outcome", "error"]

    /// The names of the further keys, without ``commonKeys``.
    package var keys: [String] { (subject.takesPerson ? Self.personKeys : []) + parameters.map(\.name) }
}

/// The kind of the value that follows the keyword of a step.
package enum StepSubject: Hashable, Sendable {
    /// The products among which the page offers a choice.
    package enum Products: Sendable { case all, subscriptions, withOfferCodes }

    case span, time
    /// A product that a person buys or owns.
    case product(Products = .all)
    /// A product, for all customers.
    case soldProduct(Products = .all)
    /// The newest purchase of a product, or a purchase by its name or id.
    case purchase
    case person, newPerson, fault, setting, nothing
    case amount, access, accessKey
    case answers, receiptAnswers, members, notifications, happenings, events

    /// The placeholder for the value, such as `PRODUCT`.
    package var placeholder: String {
        switch self {
        case .span: "SPAN"
        case .time: "TIME"
        case .product, .soldProduct: "PRODUCT"
        case .purchase: "PURCHASE"
        case .person, .newPerson: "PERSON"
        case .fault: "PLACE"
        case .setting: "SETTING: VALUE"
        case .nothing: ""
        case .amount: "NUMBER BALANCE"
        case .access: "PRODUCT or FEATURE"
        case .accessKey: "KEY"
        case .answers, .receiptAnswers: "ANSWER"
        case .members: "MEMBERS"
        case .notifications, .happenings, .events: "LIST"
        }
    }

    /// Whether one of the keys ``StepKind/personKeys`` can name a person.
    package var takesPerson: Bool {
        switch self {
        case .product, .purchase, .amount, .access, .accessKey, .answers, .receiptAnswers, .members, .notifications,
            .happenings, .events:
            true
        case .span, .time, .soldProduct, .person, .newPerson, .fault, .setting, .nothing: false
        }
    }

    /// Whether the value is a product.
    package var isProduct: Bool {
        switch self {
        case .product, .soldProduct: true
        default: false
        }
    }

    /// Whether the value is a list of words.
    var isList: Bool { [.notifications, .happenings, .events].contains(self) }
}

/// The value and the keys of a step, to be written.
struct StepValues {
    /// A value that depends on the names that earlier steps have given.
    enum Subject {
        case value(ScenarioWriter.Value)
        case purchase(TransactionReference)
    }

    typealias Key = ScenarioWriter.Pairs.Element

    let subject: Subject
    /// The keys with a value, in the order in which they are written.
    let keys: [Key?]

    init(_ value: ScenarioWriter.Value, _ keys: [Key?]) { (subject, self.keys) = (.value(value), keys) }

    private init(_ subject: Subject, _ keys: [Key?]) { (self.subject, self.keys) = (subject, keys) }

    /// A step about a purchase.
    static func of(_ reference: TransactionReference, _ keys: Key?...) -> StepValues {
        StepValues(.purchase(reference), keys)
    }

    /// A step about a product of a person.
    static func product(_ id: Product.ID, by person: CustomerID, _ keys: Key?...) -> StepValues {
        StepValues(.text(id.rawValue), [Optional(ScenarioWriter.by(person))] + keys)
    }

    /// A step about a product for all customers.
    static func product(_ id: Product.ID, _ keys: Key?...) -> StepValues { StepValues(.text(id.rawValue), keys) }

    /// A step about a person.
    static func person(_ name: CustomerID, _ keys: Key?...) -> StepValues { StepValues(.text(name.rawValue), keys) }

    static func text(_ text: String, _ keys: Key?...) -> StepValues { StepValues(.text(text), keys) }
}

extension StepKind.Key {
    static let storefront = StepKey<String>.country("storefront", placeholder: "USA")
    static let newStorefront = StepKey<String>.country("to", placeholder: "DEU").required()
    static let version = StepKey<String>.text("version")
    static let revoked = StepKey<Bool>.flag("revoked", .text(placeholder: ""))
    static let relative = StepKey<CustomerID>.person("of", label: "the family of").required()
}

extension StepKind {
    /// The steps about Apple Accounts, families and settings.
    static let ofPeople: [StepKind] = [
        StepKind(
            "new person", .newPerson, "creates an Apple Account", [Key.storefront],
            form: .store(title: "New customer")
        ) { step throws(ScenarioError) in
            let storefront = step[Key.storefront]
            return .createAccount(CustomerID(rawValue: try step.value.text(step.word)), storefront: storefront)
        } writes: {
            if case .createAccount(let name, let storefront) = $0 {
                .person(name, Key.storefront(storefront))
            } else {
                nil
            }
        },
        StepKind(
            "storefront", .person, "moves a person to another storefront", [Key.newStorefront],
            form: .customer(rank: 2)
        ) {
            .setStorefront($0[Key.newStorefront] ?? "", of: $0.subjectPerson())
        } writes: {
            if case .setStorefront(let country, let name) = $0 {
                .person(name, Key.newStorefront(country))
            } else {
                nil
            }
        },
        StepKind(
            "app transaction", .person, "sets when, and in which version, a person first got the app",
            [Key.version, Key.date, Key.revoked], form: .customer(rank: 2)
        ) {
            .setAppTransaction(
                of: $0.subjectPerson(), version: $0[Key.version], purchasedAt: $0[Key.date],
                isRevoked: $0[Key.revoked])
        } writes: {
            if case .setAppTransaction(let name, let version, let date, let isRevoked) = $0 {
                .person(name, Key.version(version), Key.date(date), Key.revoked(isRevoked))
            } else {
                nil
            }
        },
        StepKind(
            "new family", .person, "creates a family with its organiser", form: .customer { $0.family == nil }
        ) {
            .createFamily(organizer: $0.subjectPerson())
        } writes: {
            if case .createFamily(let name) = $0 { .person(name) } else { nil }
        },
        StepKind(
            "join family", .person, "adds a person to another's family", [Key.relative],
            form: .customer { $0.family == nil }
        ) { step throws(ScenarioError) in
            let other = try step.needed(Key.relative)
            return .joinFamily(step.subjectPerson(), of: other)
        } writes: {
            if case .joinFamily(let name, let other) = $0 { .person(name, Key.relative(other)) } else { nil }
        },
        StepKind(
            "leave family", .person, "removes a person from their family", form: .customer { $0.family != nil }
        ) {
            .leaveFamily($0.subjectPerson())
        } writes: {
            if case .leaveFamily(let name) = $0 { .person(name) } else { nil }
        },
        StepKind(
            "make organizer", .person, "makes a member the organiser",
            form: .customer { account in account.family.map { $0.organizer != account.name } ?? false }
        ) {
            .makeOrganizer($0.subjectPerson())
        } writes: {
            if case .makeOrganizer(let name) = $0 { .person(name) } else { nil }
        },
        StepKind(
            "share", .product(), "shares a product with the family", form: .product { $0.family != nil }
        ) {
            .shareProduct(true, product: $0.product(), by: $0.person())
        } writes: {
            if case .shareProduct(true, let id, let name) = $0 { .product(id, by: name) } else { nil }
        },
        StepKind(
            "stop sharing", .product(), "stops sharing a product", form: .product { $0.family != nil }
        ) {
            .shareProduct(false, product: $0.product(), by: $0.person())
        } writes: {
            if case .shareProduct(false, let id, let name) = $0 { .product(id, by: name) } else { nil }
        },
        StepKind(
            "share purchases", .person, "turns purchase sharing of a family on",
            form: .customer { $0.family?.sharesPurchases == false }
        ) {
            .setPurchaseSharing(true, of: $0.subjectPerson())
        } writes: {
            if case .setPurchaseSharing(true, let name) = $0 { .person(name) } else { nil }
        },
        StepKind(
            "stop sharing purchases", .person, "turns purchase sharing of a family off",
            form: .customer { $0.family?.sharesPurchases == true }
        ) {
            .setPurchaseSharing(false, of: $0.subjectPerson())
        } writes: {
            if case .setPurchaseSharing(false, let name) = $0 { .person(name) } else { nil }
        },
        StepKind("set", .setting, "changes settings of the test environment", form: .store()) { step in
            let before = step.value.mistakes.count
            let settings = step.value.isEmpty ? [] : ScenarioSettings.read(step.value)
            if settings.isEmpty, step.value.mistakes.count == before {
                step.key.addMistake("'set' has no setting", "write it like 'grace period: 16 days'")
            }
            return .perform(settings.map { .setSetting($0) })
        } writesAction: { action, _ in
            guard case .perform(let commands) = action else { return nil }
            let settings = commands.compactMap { command -> SimulatorSetting? in
                if case .setSetting(let setting) = command { setting } else { nil }
            }
            guard !settings.isEmpty, settings.count == commands.count else { return nil }
            return StepValues(ScenarioWriter.mapping(settings), [])
        },
        StepKind("reset settings", .nothing, "resets all settings", form: .store()) { _ in
            .resetSettings
        } writes: {
            if case .resetSettings = $0 { .text("") } else { nil }
        },
    ]
}
