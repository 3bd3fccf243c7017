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
