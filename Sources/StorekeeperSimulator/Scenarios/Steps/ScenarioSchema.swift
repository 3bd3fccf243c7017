package import Storekeeper

/// The JSON schema of scenarios, for editors.
///
/// - SeeAlso: JSON Schema, draft 2020-12.
package enum ScenarioSchema {
    typealias Schema = [String: JSONText]

    /// The schema.
    package static var json: JSONText {
        .object([
            "$schema": .string("https://json-schema.org/draft/2020-12/schema"),
            "title": .string("A scenario for storekeeper simulate"), "type": .string("object"),
            "required": list(["story", "steps"]), "additionalProperties": .bool(false),
            "oneOf": .array([
                .object(["required": list(["catalog"]), "not": .object(["required": list(["apps"])])]),
                .object([
                    "required": list(["apps"]),
                    "not": .object(
                        either([["required": list(["catalog"])], ["required": list(["app"])]])),
                ]),
            ]), "properties": .object(beginning), "$defs": .object(definitions),
        ])
    }

    // MARK: Parts

    static func list(_ texts: [String]) -> JSONText { .array(texts.map(JSONText.string)) }

    static func words(_ words: [String]) -> Schema { ["enum": list(words)] }

    static func reference(_ name: String) -> Schema { ["$ref": .string("#/$defs/\(name)")] }

    static func either(_ schemas: [Schema]) -> Schema { ["anyOf": .array(schemas.map(JSONText.object))] }

    static func array(_ schema: Schema) -> Schema { ["type": .string("array"), "items": .object(schema)] }

    static func oneOrList(_ schema: Schema) -> Schema { either([schema, array(schema)]) }

    static func integer(_ range: ClosedRange<Int>? = nil) -> Schema {
        ["type": .string("integer"), "minimum": .whole(range?.lowerBound), "maximum": .whole(range?.upperBound)]
    }

    private static func types(_ names: String...) -> Schema { ["type": list(names)] }

    private static let string: Schema = ["type": .string("string")]

    /// Returns a schema with further keywords.
    fileprivate static func with(_ schema: Schema, _ further: Schema) -> Schema {
        schema.merging(further) { first, _ in first }
    }

    private static func pattern(_ pattern: String) -> Schema {
        ["type": .string("string"), "pattern": .string("^\(pattern)$")]
    }

    /// An object that has no other keys.
    private static func object(_ properties: Schema, required: [String] = []) -> Schema {
        [
            "type": .string("object"), "properties": .object(properties), "additionalProperties": .bool(false),
            "required": required.isEmpty ? .null : list(required),
        ]
    }

    // MARK: The beginning

    private static let environments = words(["Production", "Sandbox", "Xcode", "LocalTesting"])

    private static var beginning: Schema {
        let person: Schema = ["name": .object(reference("text")), "storefront": .object(reference("country"))]
        let properties: [String: Schema] = [
            "story": reference("text"), "about": reference("text"), "catalog": oneOrList(string),
            "catalog files": ["type": .string("object"), "additionalProperties": .object(string)], "app": string,
            "apps": array(reference("app")), "environment": environments, "start": reference("time"),
            "seed": ["type": .string("integer"), "minimum": .integer(0)], "settings": reference("settings"),
            "people": oneOrList(either([reference("text"), object(person, required: ["name"])])),
            "families": array(oneOrList(reference("text"))),
            "policy": reference("policy"),
            "steps": with(array(reference("step")), ["maxItems": .whole(Scenario.maximumSteps)]),
        ]
        return properties.mapValues(JSONText.object)
    }

    // MARK: Definitions

    private static var definitions: Schema {
        let span = "[0-9]{1,9} (year|month|week|day|hour|minute|second|millisecond)s?"
        let time = "[Tt ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?([Zz]|[+-][0-9]{2}(:?[0-9]{2})?)"
        let flags: [JSONText] = [.bool(true), .bool(false)] + ["yes", "no", "on", "off"].map(JSONText.string)
        let errors: [String] = SimulatorError.Code.allCases.map(\.rawValue) + StepReader.balanceErrors
        let expectations: String = (answers + otherExpectations).joined(separator: "|")
        let receiptAnswers: String = answers.filter { !$0.hasPrefix("pending") }.joined(separator: "|")
        let notifications: [String] = Set(HappeningKind.allCases.compactMap(\.notificationWord)).sorted()
        let happenings: [String] = HappeningKind.allCases.map { "\($0)" }
        let definitions: [String: Schema] = [
            "flag": ["enum": .array(flags)],
            "text": types("string", "number", "boolean"), "span": pattern("\(span)( \(span))*"),
            "time": either([
                pattern("([0-9]{4}-[0-9]{2}-[0-9]{2}(\(time))?|-?[0-9]+)"), ["type": .string("integer")],
            ]),
            "country": pattern("[A-Za-z]{3}"),
            "uuid": pattern("(none|[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})"),
            "offer": pattern("(introductory( .+)?|(promotional|code|winBack|retention) [^ ].*)"),
            "price": either([
                ["type": .string("number"), "minimum": .integer(0)], pattern("[0-9]{1,12}(\\.[0-9]{1,3})?"),
            ]),
            "name": either([pattern("(?![-+]?[0-9]+$).+"), ["type": .string("boolean")]]),
            "amount": pattern("[0-9]*[1-9][0-9]* .+"), "outcome": pattern("(\(outcomes))"), "error": words(errors),
            "answer": pattern("(\(expectations))"),
            "receipt answer": pattern("(\(receiptAnswers))"),
            "notification": words(notifications),
            "happening": words(happenings), "signed whole": orWord(integer()),
            "signed flag": orWord(reference("flag")), "signed date": orWord(reference("time")),
            "signed list": oneOrList(reference("text")), "signed": signed, "settings": settings, "policy": policy,
            "app": app,
            "step": step,
        ]
        return definitions.mapValues(JSONText.object)
    }

    private static var app: Schema {
        let properties: [String: Schema] = [
            "id": string, "catalog": oneOrList(string), "settings": reference("settings"),
            "version": types("string", "number"), "apple id": ["type": .string("integer")],
        ]
        return object(properties.mapValues(JSONText.object), required: ["catalog"])
    }

    private static var outcomes: String {
        StepReader.outcomes.map { outcome in
            let further = StepReader.furtherOutcomes(outcome)
            return further.isEmpty ? outcome : "\(outcome)( (\(further.joined(separator: "|"))))?"
        }.joined(separator: "|")
    }

    private static func details(_ word: String, _ reasons: [String: [String]]) -> String {
        "( because (\((reasons[word] ?? []).joined(separator: "|")))| until [^ ]+| without end)*"
    }

    private static let answers = StepDraft.answers.map { "\($0) [^ ]+\(details($0, StepDraft.reasons))" }

    private static var otherExpectations: [String] {
        let states = RenewalState.allCases.map(\.rawValue).joined(separator: "|")
        let offers = ["eligible", "ineligible", "unknown"].map { $0 + details($0, StepDraft.offerReasons) }
        return [
            "balance [^ ]+ -?[0-9]+", "highest .+ [^ ]+", "state .+ (\(states))",
            "offer [^ ]+ (introductory|(promotional|code|winBack) .+) (\(offers.joined(separator: "|")))",
        ]
    }

    /// A signed value, or the expectation that the member is absent or present.
    private static func orWord(_ schema: Schema) -> Schema { either([schema, words(["none", "any"])]) }

    private static var signed: Schema {
        var documents: Schema = [:]
        for document in ScenarioExpectation.Signed.Document.allCases {
            documents[document.rawValue] = .object(members(document.members, within: ""))
        }
        return with(object(documents), ["minProperties": .integer(1)])
    }

    /// The members of a document, or of an object in it, by their names without `prefix`.
    private static func members(
        _ members: [String: ScenarioExpectation.Signed.Document.Kind], within prefix: String
    ) -> Schema {
        var properties: Schema = [:]
        for (name, kind) in members where name.hasPrefix(prefix) {
            let schema: Schema =
                switch kind {
                case .text: reference("text")
                case .whole: reference("signed whole")
                case .flag: reference("signed flag")
                case .date: reference("signed date")
                case .list: reference("signed list")
                case .object:
                    members.keys.contains { $0.hasPrefix("\(name).") }
                        ? either([words(["none", "any"]), self.members(members, within: "\(name).")])
                        : words(["none", "any"])
                }
            properties[String(name.dropFirst(prefix.count))] = .object(schema)
        }
        return with(object(properties), ["minProperties": .integer(1)])
    }

    private static var settings: Schema {
        let failures = words(SimulatedFailure.allCases.map(\.rawValue) + ["no", "off"])
        var apis: Schema = [:]
        for api in SimulatedAPI.allCases { apis[api.rawValue] = .object(failures) }
        let speeds = SandboxSpeed.allCases.map { "\($0.rawValue)" }.joined(separator: "|")
        let months = ScenarioSettings.rates.map(\.word).joined(separator: "|")
        let special: [String: Schema] = [
            "storefront": reference("country"), "locale": string,
            "pace": pattern(
                "(real time|testflight|xcode month is (\(months))|xcode rate -?[0-9]+|sandbox (\(speeds)) minutes)"),
            "grace period": words(["3 days", "16 days", "28 days", "no", "off"]),
            "recovery chance": ["type": .string("number"), "minimum": .integer(0), "maximum": .integer(1)],
            "fail transactions": either([["type": .string("integer")], words(["no", "off"])]),
            "errors": object(apis),
        ]
        var properties: Schema = [:]
        for key in ScenarioSettings.keys { properties[key] = .object(special[key] ?? reference("flag")) }
        return object(properties)
    }

    private static var policy: Schema {
        let properties: [String: Schema] = [
            "renewal leeway": reference("span"), "grace": reference("flag"),
            "billing retry entitles": reference("flag"), "refunds": words(RefundPolicy.allCases.map(\.rawValue)),
            "environments": oneOrList(environments),
        ]
        return object(properties.mapValues(JSONText.object))
    }

    // MARK: Steps

    private static var step: Schema {
        let bare = StepKind.all.filter { $0.subject == .nothing }.map(\.name)
        return either([with(words(bare), string)] + StepKind.all.map(schema))
    }

    /// The placeholder for the value, which editors show.
    private static func title(_ subject: StepSubject) -> Schema {
        ["title": JSONText.text(subject.placeholder.isEmpty ? nil : subject.placeholder)]
    }

    private static let common: Schema = [
        "as": .object(reference("name")), "app": .object(reference("text")), "outcome": .object(reference("outcome")),
        "error": .object(reference("error")),
    ]

    private static func schema(_ kind: StepKind) -> Schema {
        var properties = common
        properties[kind.name] = .object(with(kind.subject.schema, title(kind.subject)))
        if kind.subject.takesPerson { for key in StepKind.personKeys { properties[key] = .object(reference("text")) } }
        for key in kind.parameters { properties[key.name] = .object(key.schemaWithError ?? key.schema) }
        var schema = object(
            properties, required: [kind.name] + kind.parameters.filter { $0.need == .always }.map(\.name))
        schema["description"] = .string(kind.help)
        // If the step expects an error, any text is allowed as a country.
        var strict: Schema = [:]
        for key in kind.parameters where key.schemaWithError != nil { strict[key.name] = .object(key.schema) }
        if !strict.isEmpty {
            schema = with(schema, either([["required": list(["error"])], ["properties": .object(strict)]]))
        }
        return schema
    }
}

extension StepSubject {
    /// The JSON schema of the value.
    fileprivate var schema: [String: JSONText] {
        typealias Parts = ScenarioSchema
        switch self {
        case .span: return Parts.either([["const": .string("next event")], Parts.reference("span")])
        case .time: return Parts.either([["const": .string("now")], Parts.reference("time")])
        case .product, .soldProduct, .purchase: return ["type": Parts.list(["string", "number"])]
        case .person: return ["type": Parts.list(["string", "number", "boolean", "null"])]
        case .newPerson, .access, .accessKey: return Parts.reference("text")
        case .fault: return Parts.words(["none"] + SimulatedFault.Place.allCases.map(\.rawValue))
        case .setting: return Parts.with(Parts.reference("settings"), ["minProperties": .integer(1)])
        case .nothing: return ["type": .string("null")]
        case .amount: return Parts.reference("amount")
        case .answers: return Parts.oneOrList(Parts.reference("answer"))
        case .receiptAnswers: return Parts.oneOrList(Parts.reference("receipt answer"))
        case .members: return Parts.reference("signed")
        case .notifications: return Parts.oneOrList(Parts.reference("notification"))
        case .happenings: return Parts.oneOrList(Parts.reference("happening"))
        case .events: return Parts.oneOrList(["type": .string("string")])
        }
    }
}
