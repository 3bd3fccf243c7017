import FoundationEssentials
public import Storekeeper

extension Scenario {
    /// The keys of a scenario.
    public static let keys = [
        "story", "about", "catalog", "app", "apps", "environment", "start", "seed", "settings", "people", "families",
        "policy", "steps",
    ]
    /// The keys of an app in the list `apps`.
    public static let appKeys = ["id", "catalog", "settings", "version", "apple id"]
    /// The keys of a policy.
    public static let policyKeys = ["renewal leeway", "grace", "billing retry entitles", "refunds", "environments"]

    /// The most steps that a scenario may have.
    public static let maximumSteps = 20_000

    /// Reads a scenario.
    ///
    /// - Parameters:
    ///   - text: YAML in UTF-8, at most 1 MiB, without anchors and aliases.
    ///   - file: What the file is called, for messages.
    ///   - catalog: Reads a file that the scenario names, by the path as it stands there.
    /// - Throws: ``ScenarioError``, with line and column; what the closure throws.
    public init(reading text: String, file: String, catalog: (String) throws -> CatalogFile) throws {
        let root = try ScenarioNode.root(of: text, file: file)
        self = try withoutActuallyEscaping(catalog) { catalog in
            var reader = ScenarioReader(root, catalog: catalog)
            return try reader.scenario()
        }
    }

    /// Reads the file of a scenario and those it names, which stand beside it.
    ///
    /// - Throws: ``ScenarioError``, with line and column; what the file system throws.
    public init(contentsOfFile path: String) throws {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ScenarioError(file: path, "the scenario is not UTF-8", remedy: "save it as UTF-8")
        }
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        try self.init(reading: text, file: path) { name in
            let file = name.hasPrefix("/") ? URL(fileURLWithPath: name) : folder.appendingPathComponent(name)
            return CatalogFile(name: name, bytes: Array(try Data(contentsOf: file)))
        }
    }
}

/// Reads the parts of a scenario before its steps.
private struct ScenarioReader {
    let root: ScenarioNode
    let catalog: (String) throws -> CatalogFile
    private var settings: [SimulatorSetting] = []

    init(_ root: ScenarioNode, catalog: @escaping (String) throws -> CatalogFile) {
        self.root = root
        self.catalog = catalog
    }

    mutating func scenario() throws -> Scenario {
        let members = try root.members("the scenario", among: Scenario.keys)
        guard let story = try members["story"]?.text("story") else {
            throw root.error("the scenario has no title", "add 'story:'")
        }
        if let node = members["settings"] { settings = try ScenarioSettings.read(node) }
        var scenario = Scenario(story: story, apps: [])
        scenario.file = root.file
        scenario.about = try members["about"]?.text("about")
        if let node = members["environment"] { scenario.environment = try Self.environment(node) }
        if let node = members["start"] { scenario.start = try node.instant("start") }
        if let node = members["seed"] {
            guard let seed = UInt64(try node.text("seed")) else {
                throw node.error("'seed' is no whole number", "write digits only")
            }
            scenario.seed = seed
        }
        scenario.apps = try apps(members)
        scenario.settings = settings
        if let node = members["catalog"] { scenario.catalogs = [try node.texts("catalog")] }
        for node in members["apps"]?.elements ?? [] {
            let paths = try node.members("an app", among: Scenario.appKeys)["catalog"]?.texts("catalog")
            scenario.catalogs.append(paths ?? [])
        }
        scenario.policy = EntitlementPolicy(environments: [scenario.environment: .grant])
        if let node = members["policy"] { try read(policy: node, into: &scenario.policy) }
        for node in members["people"]?.elements ?? [] { scenario.people.append(try person(node)) }
        var names: Set<CustomerID> = []
        for person in scenario.people where !names.insert(person.name).inserted {
            throw (members["people"] ?? root).error("'\(person.name)' stands twice among the people", "keep one")
        }
        for node in members["families"]?.elements ?? [] {
            var family: [CustomerID] = []
            for element in node.elements {
                let name = CustomerID(rawValue: try element.text("families"))
                guard names.contains(name) else {
                    let advice = NearestWord.advice(for: name.rawValue, among: names.map(\.rawValue).sorted())
                    throw element.error("nobody is called '\(name)'", advice)
                }
                family.append(name)
            }
            scenario.families.append(family)
        }
        guard let steps = members["steps"] else { throw root.error("the scenario has no steps", "add 'steps:'") }
        var reader = StepReader(apps: scenario.apps, people: scenario.people.map(\.name))
        let nodes = steps.elements
        guard nodes.count <= Scenario.maximumSteps else {
            throw steps.error("the scenario has more than \(Scenario.maximumSteps) steps", "split it")
        }
        for node in nodes { scenario.steps.append(try reader.step(node)) }
        return scenario
    }

    private func apps(_ members: [String: ScenarioNode]) throws -> [SimulatedApp] {
        guard let list = members["apps"] else {
            guard let node = members["catalog"] else {
                throw root.error("the scenario names no catalog", "add 'catalog:' with a path beside the file")
            }
            return [try app(id: members["app"]?.text("app"), catalog: node)]
        }
        for key in ["app", "catalog"] {
            if let node = members[key] { throw node.error("'\(key)' and 'apps' stand together", "keep 'apps'") }
        }
        var apps: [SimulatedApp] = []
        for node in list.elements {
            let members = try node.members("an app", among: Scenario.appKeys)
            guard let catalog = members["catalog"] else { throw node.error("the app has no catalog", "add 'catalog:'") }
            var app = try app(id: members["id"]?.text("id"), catalog: catalog)
            if let node = members["settings"] {
                for setting in try ScenarioSettings.read(node) { app.settings = app.settings.with(setting) }
            }
            if let node = members["version"] { app.version = try node.text("version") }
            if let node = members["apple id"] { app.appleID = try node.integer("apple id") }
            guard !apps.contains(where: { $0.bundleID == app.bundleID }) else {
                throw node.error("two apps are called '\(app.bundleID)'", "give each an 'id:' of its own")
            }
            apps.append(app)
        }
        guard !apps.isEmpty else { throw list.error("'apps' names none", "name one") }
        return apps
    }

    private func app(id: String?, catalog node: ScenarioNode) throws -> SimulatedApp {
        var files: [CatalogFile] = []
        var result = AppSettings()
        for path in node.elements {
            let file = try catalog(try path.text("catalog"))
            files.append(file)
            do {
                // What is not told by this file was told by one before it.
                let stated = try StoreKitSettings(file)
                if stated != StoreKitSettings() { result = AppSettings(stated) }
            } catch {
                throw path.error("'\(file.name)' is no catalog: \(error.message)", error.remedy)
            }
        }
        for setting in settings { result = result.with(setting) }
        do {
            return SimulatedApp(
                bundleID: id ?? "com.example.game", catalog: try Catalog(reading: files), settings: result)
        } catch {
            throw node.error("the catalog cannot be read: \(error.message)", error.remedy)
        }
    }

    private func person(_ node: ScenarioNode) throws(ScenarioError) -> Scenario.Person {
        guard node.isMapping else {
            return Scenario.Person(CustomerID(rawValue: try node.text("people")))
        }
        let members = try node.members("a person", among: ["name", "storefront"])
        guard let name = members["name"] else { throw node.error("the person has no name", "add 'name:'") }
        return Scenario.Person(
            CustomerID(rawValue: try name.text("name")), storefront: try members["storefront"]?.text("storefront"))
    }

    private func read(policy node: ScenarioNode, into policy: inout EntitlementPolicy) throws(ScenarioError) {
        let members = try node.members("the policy", among: Scenario.policyKeys)
        if let node = members["renewal leeway"] {
            guard let span = ScenarioSpan(try node.text("renewal leeway")), span.months == 0,
                span.milliseconds <= EntitlementPolicy.maximumRenewalLeeway
            else { throw node.error("the leeway is no time of at most a day", "write it like '1 hour'") }
            policy.renewalLeeway = span.milliseconds
        }
        if let node = members["grace"] { policy.gracePeriodEntitles = try node.flag("grace") }
        if let node = members["billing retry entitles"] {
            policy.billingRetryEntitles = try node.flag("billing retry entitles")
        }
        if let node = members["refunds"] { policy.refundPolicy = try node.word("refunds", of: RefundPolicy.self) }
        if let node = members["environments"] {
            policy.environments = [:]
            for element in node.elements { policy.environments[try Self.environment(element)] = .grant }
        }
    }

    private static func environment(_ node: ScenarioNode) throws(ScenarioError) -> AppStore.Environment {
        let word = try node.text("environment")
        let known = ["Production", "Sandbox", "Xcode", "LocalTesting"]
        guard let name = known.first(where: { $0.lowercased() == word.lowercased() }) else {
            throw node.error("'\(word)' is no environment", NearestWord.advice(for: word, among: known))
        }
        return AppStore.Environment(rawValue: name)
    }
}

extension ScenarioNode {
    /// The values of a mapping by their keys; a key without a value says nothing.
    func members(_ name: String, among known: [String]) throws(ScenarioError) -> [String: ScenarioNode] {
        var members: [String: ScenarioNode] = [:]
        for pair in try pairs(name) {
            guard known.contains(pair.word) else {
                throw pair.key.error(
                    "\(name) has no key '\(pair.word)'", NearestWord.advice(for: pair.word, among: known))
            }
            if !pair.value.isEmpty { members[pair.word] = pair.value }
        }
        return members
    }

    func instant(_ name: String) throws(ScenarioError) -> Instant {
        let text = try text(name)
        guard let instant = Instant(text) else {
            throw error("'\(text)' is no time", "write it like 2026-03-01T09:30:00Z or 2026-03-01")
        }
        return instant
    }

    func word<Value: RawRepresentable & CaseIterable>(
        _ name: String, of type: Value.Type
    ) throws(ScenarioError) -> Value where Value.RawValue == String {
        let text = try text(name)
        guard let value = Value(rawValue: text) else {
            throw error(
                "'\(text)' is no value of '\(name)'",
                NearestWord.advice(for: text, among: Value.allCases.map(\.rawValue)))
        }
        return value
    }

    /// Thousandths of a number such as `12.99`.
    func thousandths(_ name: String) throws(ScenarioError) -> Int64 {
        let text = try text(name)
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let fraction = parts.count == 2 ? parts[1] : ""
        guard let whole = parts.first, (1...12).contains(whole.utf8.count), fraction.utf8.count <= 3,
            parts.count == 1 || !fraction.isEmpty, (whole + fraction).utf8.allSatisfy({ (48...57).contains($0) }),
            let value = Int64(whole + fraction + String(repeating: "0", count: 3 - fraction.utf8.count))
        else { throw error("'\(text)' is no number with at most three decimals", "write it like 12.99") }
        return value
    }
}
