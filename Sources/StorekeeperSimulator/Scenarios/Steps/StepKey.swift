import FoundationEssentials
package import Storekeeper

/// The description of a key of a step, without the type of its value.
package protocol StepParameter: Sendable {
    /// The key, such as `quantity`.
    var name: String { get }
    /// The label of the key's field on the page of the transaction manager.
    var label: String { get }
    /// The control of the key's field.
    var control: StepControl { get }
    /// Whether a step must have the key.
    var need: StepNeed { get }
    /// The JSON schema of the value.
    var schema: [String: JSONText] { get }
    /// The JSON schema of the value in a step that expects an error; `nil` if it is the same.
    var schemaWithError: [String: JSONText]? { get }
    /// Whether the value is a list; a form separates the elements by commas.
    var isList: Bool { get }
}

/// The HTML control of a field.
package enum StepControl: Sendable {
    /// A text field; `list` is the name of its list of suggestions, if it has one.
    case text(placeholder: String, list: String? = nil)
    /// A whole number.
    case number(ClosedRange<Int>)
    /// A list of values to choose from; if no value is chosen, the App Store's default applies.
    case choice([String])
    /// A list of customers to choose from.
    case person
}

/// Whether a step must have a key.
package enum StepNeed: Sendable {
    case optional
    /// Only the form of the page requires the key.
    case inForm
    case always
}

/// A key of a step: how its value is read, written, described and asked for.
package struct StepKey<Value: Sendable>: StepParameter {
    typealias Reading = @Sendable (ScenarioNode, StepDraft) throws(ScenarioError) -> Value

    package let name: String
    package let label: String
    package let control: StepControl
    package private(set) var need = StepNeed.optional
    package let schema: [String: JSONText]
    package private(set) var schemaWithError: [String: JSONText]?
    package let isList: Bool
    /// Reads the value of the key in a step.
    let read: Reading
    /// Writes a value.
    let write: @Sendable (Value) -> ScenarioWriter.Value

    init(
        _ name: String, label: String? = nil, _ control: StepControl, schema: [String: JSONText],
        schemaWithError: [String: JSONText]? = nil, isList: Bool = false, read: @escaping Reading,
        write: @escaping @Sendable (Value) -> ScenarioWriter.Value
    ) {
        self.name = name
        self.label = label ?? name
        self.control = control
        self.schema = schema
        self.schemaWithError = schemaWithError
        self.isList = isList
        self.read = read
        self.write = write
    }

    /// The same key, if a step or its form must have it.
    func required(_ need: StepNeed = .always) -> StepKey {
        var key = self
        key.need = need
        return key
    }

    /// Returns the key with a value, to be written; `nil` without a value.
    func callAsFunction(_ value: Value?) -> ScenarioWriter.Pairs.Element? { value.map { (name, write($0)) } }
}

// MARK: Types of values

extension StepKey where Value == String {
    static func text(
        _ name: String, label: String? = nil, _ control: StepControl = .text(placeholder: ""),
        schema: [String: JSONText] = ScenarioSchema.reference("text")
    ) -> StepKey {
        StepKey(name, label: label, control, schema: schema) { node, _ throws(ScenarioError) in
            try node.text(name)
        } write: {
            .text($0)
        }
    }

    /// A storefront's country; a step that expects an error may have any text.
    static func country(_ name: String, placeholder: String) -> StepKey {
        StepKey(
            name, label: "country", .text(placeholder: placeholder, list: "countries"),
            schema: ScenarioSchema.reference("country"), schemaWithError: ScenarioSchema.reference("text")
        ) { node, step throws(ScenarioError) in
            try step.country(node)
        } write: {
            .text($0)
        }
    }
}

extension StepKey where Value == Bool {
    static func flag(_ name: String, label: String? = nil, _ control: StepControl = .choice(["yes", "no"])) -> StepKey {
        StepKey(name, label: label, control, schema: ScenarioSchema.reference("flag")) {
            node, _ throws(ScenarioError) in
            try node.flag(name)
        } write: {
            .text($0 ? "yes" : "no")
        }
    }
}

extension StepKey where Value == Int {
    /// A whole number.
    ///
    /// - Parameters:
    ///   - range: The numbers that the form offers.
    ///   - isBounded: Whether the schema refuses other numbers.
    static func whole(
        _ name: String, label: String? = nil, _ range: ClosedRange<Int>, isBounded: Bool = true
    ) -> StepKey {
        StepKey(
            name, label: label, .number(range), schema: ScenarioSchema.integer(isBounded ? range : nil)
        ) { node, _ throws(ScenarioError) in
            guard let number = Int(exactly: try node.integer(name)) else {
                throw node.error("'\(name)' is too large", "write a smaller number")
            }
            return number
        } write: {
            .text("\($0)")
        }
    }
}

extension StepKey where Value == CustomerID {
    static func person(_ name: String, label: String? = nil) -> StepKey {
        StepKey(name, label: label, .person, schema: ScenarioSchema.reference("text")) { node, step in
            step.person(node, name)
        } write: {
            .text($0.rawValue)
        }
    }
}

extension StepKey where Value == Instant {
    static func instant(_ name: String, label: String? = nil, placeholder: String) -> StepKey {
        StepKey(
            name, label: label, .text(placeholder: placeholder), schema: ScenarioSchema.reference("time")
        ) { node, _ throws(ScenarioError) in
            try node.instant(name)
        } write: {
            .text($0.scenarioText)
        }
    }
}

extension StepKey where Value == UUID? {
    /// A UUID, or `none`.
    static func token(_ name: String) -> StepKey {
        StepKey(
            name, label: "account token", .text(placeholder: "a UUID"), schema: ScenarioSchema.reference("uuid")
        ) { node, _ throws(ScenarioError) in
            try StepDraft.uuid(node)
        } write: {
            .text($0?.uuidString.lowercased() ?? "none")
        }
    }
}

extension StepKey where Value == UUID {
    static func id(_ name: String, label: String) -> StepKey {
        StepKey(
            name, label: label, .text(placeholder: "a UUID"), schema: ScenarioSchema.reference("uuid")
        ) { node, _ throws(ScenarioError) in
            guard let id = try StepDraft.uuid(node) else { throw node.error("'none' is not a claim", "write a UUID") }
            return id
        } write: {
            .text($0.uuidString.lowercased())
        }
    }
}

extension StepKey where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    /// One of the values of a type.
    static func word(_ name: String) -> StepKey {
        let words = Value.allCases.map(\.rawValue)
        return StepKey(name, .choice(words), schema: ScenarioSchema.words(words)) { node, _ throws(ScenarioError) in
            try node.word(name, of: Value.self)
        } write: {
            .text($0.rawValue)
        }
    }
}
