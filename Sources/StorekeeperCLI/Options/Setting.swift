import ArgumentParser
import Storekeeper
import Yams

/// The declaration of a setting, from which follow its option, its variable, its key in `storekeeper.yaml`, its checks and
/// its line in `Documentation/Settings.md`.
///
/// The lists of all settings are ``Configuration/settings``, ``ServiceSettings/settings`` and
/// ``WebhookSettings/Values/settings``.
struct Setting<Settings>: Sendable {
    /// The path of the key in the file, such as `policy.grace`.
    let key: String
    /// The form of the value.
    let form: SettingForm
    /// Whether the value, or the file that it names, is a secret.
    let isSecret: Bool
    /// The sentence about the setting, for the help of the option and for the reference page.
    let sentence: String?
    /// The option, for the reference page; `nil` if there is none.
    let option: String?
    /// The meaning of a missing value; `nil` if the initial value of the property says it.
    let absence: String?
    /// A value for the example in the program's help.
    let example: String?
    /// The property that has the value.
    let property: any PartialKeyPath<Settings> & Sendable
    /// Reads a value.
    let assign: @Sendable (inout Settings, Node) throws(SettingFault) -> Void
    /// Returns the value as text; `nil` if there is none.
    let text: @Sendable (Settings) -> String?

    /// Reads text.
    func take(_ text: String, into settings: inout Settings) throws(SettingFault) { try assign(&settings, Node(text)) }

    /// Declares a setting whose default is the initial value of a property.
    init<Value>(
        _ key: String, _ property: any WritableKeyPath<Settings, Value> & Sendable, _ kind: SettingKind<Value>,
        isSecret: Bool = false, option: String? = nil, absence: String? = nil, example: String? = nil,
        _ sentence: String? = nil
    ) {
        (self.key, form, self.isSecret, self.property) = (key, kind.form, isSecret, property)
        (self.option, self.absence, self.example, self.sentence) = (option, absence, example, sentence)
        assign = { (settings: inout Settings, node: Node) throws(SettingFault) in
            settings[keyPath: property] = try kind.value(node)
        }
        text = { kind.write($0[keyPath: property]) }
    }

    /// Declares a setting without a default.
    init<Value>(
        _ key: String, optional property: any WritableKeyPath<Settings, Value?> & Sendable, _ kind: SettingKind<Value>,
        isSecret: Bool = false, option: String? = nil, absence: String? = nil, example: String? = nil,
        _ sentence: String? = nil
    ) {
        (self.key, form, self.isSecret, self.property) = (key, kind.form, isSecret, property)
        (self.option, self.absence, self.example, self.sentence) = (option, absence, example, sentence)
        assign = { (settings: inout Settings, node: Node) throws(SettingFault) in
            settings[keyPath: property] = try kind.value(node)
        }
        text = { $0[keyPath: property].map(kind.write) }
    }

    /// The key of the enclosing mapping, such as `policy`; `nil` for a key at the top of the file.
    var group: String? { key.lastIndex(of: ".").map { String(key[..<$0]) } }

    /// The last part of the key, such as `grace`.
    var name: String { key.split(separator: ".").last.map(String.init) ?? key }

    /// The environment variable, such as `STOREKEEPER_POLICY_GRACE`.
    var variable: String { Variables.prefix + key.divided(by: "_").replacing(".", with: "_").uppercased() }

    /// The option with the name of the key, such as `--lease-life`.
    var sameOption: String { "--" + name.divided(by: "-").lowercased() }

    /// The help of the option.
    ///
    /// - Parameter initial: The settings without any value.
    func help(of initial: Settings) -> ArgumentHelp {
        let standard = (absence ?? text(initial)).map { " Default: \($0)." }
        return ArgumentHelp((sentence ?? "") + (standard ?? ""), valueName: form.valueName)
    }

    /// The variable that names a file with the value; `nil` if the value is not a secret itself.
    var fileVariable: String? { isSecret && !form.isPath ? variable + "_FILE" : nil }
}

/// The form of a setting's value.
struct SettingForm: Sendable {
    /// The permitted values, for the reference page.
    var type: String
    /// The problem of a value that is not text.
    var nonText = "is not text"
    /// The problem of any other wrong value.
    var problem = ""
    /// The remedy for a wrong value.
    var remedy = ""
    /// The name of the value in the help of an option.
    var valueName: String?
    /// Whether the value is a path, which is relative to the folder of the file.
    var isPath = false
    /// Whether the value is such a path unless it is a connection string, which may contain a password.
    var isLocation = false
    /// Whether the value is a list.
    var isList = false
    /// Whether commas divide the elements of the list in a variable.
    var isDivided = false
}

/// A wrong value of a setting.
struct SettingFault: Error {
    /// The problem, such as `is not a number`.
    let problem: String
    /// The remedy, such as `use 1 to 10`.
    let remedy: String
    /// The wrong element of a list; `nil` if the value itself is wrong.
    var element: String?
}

/// The values that a setting may have.
struct SettingKind<Value>: Sendable {
    var form: SettingForm
    /// Reads text, or a list of texts; returns `nil` for a wrong value.
    let read: @Sendable (Node) throws(SettingFault) -> Value?
    let write: @Sendable (Value) -> String

    func value(_ node: Node) throws(SettingFault) -> Value {
        guard let value = try read(node) else { throw SettingFault(problem: form.problem, remedy: form.remedy) }
        return value
    }

    private static func scalar(
        _ form: SettingForm, write: @escaping @Sendable (Value) -> String,
        read: @escaping @Sendable (String) -> Value?
    ) -> Self {
        Self(form: form, read: { node throws(SettingFault) in node.scalar.flatMap { read($0.string) } }, write: write)
    }
}

extension SettingKind where Value == String {
    /// Any text.
    static func text(_ valueName: String = "text") -> Self {
        scalar(SettingForm(type: "text", valueName: valueName), write: \.self, read: \.self)
    }

    /// The path of a file.
    static var path: Self {
        scalar(SettingForm(type: "a path", valueName: "file", isPath: true), write: \.self, read: \.self)
    }

    /// The location of a vault.
    static var vault: Self {
        scalar(SettingForm(type: "a path, or `postgres://…`", isLocation: true), write: \.self, read: \.self)
    }

    /// A web address.
    static var url: Self {
        scalar(SettingForm(type: "an address with https", valueName: "url"), write: \.self, read: \.self)
    }
}

extension SettingKind where Value == [String] {
    /// The paths of files, which are divided by commas in a variable unless the variable contains one path.
    static func paths(isDivided: Bool) -> Self {
        Self(
            form: SettingForm(
                type: isDivided ? "a list of paths" : "a path, or a list of paths", isPath: true, isList: true,
                isDivided: isDivided),
            read: { node throws(SettingFault) in node.texts },
            write: { $0.isEmpty ? "none" : "[\($0.joined(separator: ", "))]" })
    }
}

extension SettingKind where Value == Set<AppStore.Environment> {
    static var environments: Self {
        Self(
            form: SettingForm(
                type: "a list of Production, Sandbox, Xcode and LocalTesting", problem: "is empty", isList: true,
                isDivided: true),
            read: { node throws(SettingFault) in
                var environments: Set<AppStore.Environment> = []
                for word in node.texts {
                    guard let environment = AppStore.Environment(word: word) else {
                        throw SettingFault(
                            problem: "is not an environment", remedy: AppStore.Environment.wordAdvice, element: word)
                    }
                    environments.insert(environment)
                }
                return environments.isEmpty ? nil : environments
            }, write: { "[\($0.map(\.rawValue).sorted().joined(separator: ", "))]" })
    }
}

extension SettingKind where Value == Int64 {
    /// An id of App Store Connect.
    static var id: Self {
        scalar(SettingForm(type: "a number", problem: "is not a number"), write: \.description) {
            Int64($0).flatMap { $0 >= 0 ? $0 : nil }
        }
    }

    /// A duration in milliseconds.
    static func span(_ range: ClosedRange<Int64>, _ type: String, _ remedy: String) -> Self {
        scalar(SettingForm(type: type, remedy: remedy, valueName: "time"), write: LeewayDuration.text) {
            LeewayDuration.milliseconds($0, limit: range.upperBound).flatMap { range.contains($0) ? $0 : nil }
        }
    }
}

extension SettingKind where Value == Duration {
    /// The renewal leeway.
    static var leeway: Self {
        let type = "a duration of at most 24 hours"
        return scalar(
            SettingForm(type: type, problem: "is not \(type), such as PT1H"),
            write: { LeewayDuration.text(Int64($0 / .milliseconds(1))) }
        ) { LeewayDuration.milliseconds($0).map { .milliseconds($0) } }
    }
}

extension SettingKind where Value == Int {
    static func number(_ range: ClosedRange<Int>) -> Self {
        scalar(
            SettingForm(
                type: "a number", remedy: "use \(range.lowerBound) to \(range.upperBound)", valueName: "n"),
            write: \.description
        ) { Int($0).flatMap { range.contains($0) ? $0 : nil } }
    }
}

extension SettingKind where Value == Double {
    /// A number of requests per second.
    static var rate: Self {
        scalar(
            SettingForm(
                type: "a number", remedy: "use a number of requests per second, or 0 for no limit", valueName: "n"),
            write: { $0 == $0.rounded() ? String("\($0)".dropLast(2)) : "\($0)" }
        ) { Double($0).flatMap { (0...1_000_000).contains($0) ? $0 : nil } }
    }
}

extension SettingKind where Value == Bool {
    /// A truth value as YAML writes it, such as `yes` or `off`.
    static var bool: Self {
        let problem = "is neither true nor false"
        return Self(
            form: SettingForm(type: "true or false", nonText: problem, problem: problem),
            read: { node throws(SettingFault) in node.bool }, write: \.description)
    }

    /// A truth value that is also an option.
    static var flag: Self {
        scalar(
            SettingForm(type: "true or false", remedy: "use true or false", valueName: "true|false"),
            write: \.description
        ) { ["true": true, "yes": true, "false": false, "no": false][$0] }
    }
}

extension SettingKind where Value: RawRepresentable<String> & Sendable {
    /// One of several words.
    static func word(_ values: [Value]) -> Self {
        let words = values.map(\.rawValue)
        let list = words.dropLast().joined(separator: ", ") + " or \(words.last ?? "")"
        return scalar(
            SettingForm(
                type: words.map { "`\($0)`" }.dropLast().joined(separator: ", ") + " or `\(words.last ?? "")`",
                problem: "must be \(list)", remedy: "use \(list)", valueName: words.joined(separator: "|")),
            write: \.rawValue, read: Value.init(rawValue:))
    }
}

extension Node {
    /// The text of a scalar, or the texts of a sequence of scalars.
    fileprivate var texts: [String] { (sequence.map(Array.init) ?? [self]).compactMap { $0.scalar?.string } }
}

extension String {
    /// Returns the words of a name such as `leaseLife` with something between them.
    func divided(by separator: String) -> String {
        var (result, isAfterSmall) = ("", false)
        for letter in self {
            if letter.isUppercase, isAfterSmall { result += separator }
            result.append(letter)
            isAfterSmall = letter.isLowercase
        }
        return result
    }
}
