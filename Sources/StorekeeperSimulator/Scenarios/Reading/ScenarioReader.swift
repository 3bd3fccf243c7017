import FoundationEssentials
public import Storekeeper

extension Scenario {
    /// The permitted keys at the top level of a scenario.
    static let keys = [
        "story", "about", "catalog", "catalog files", "app", "apps", "environment", "start", "seed", "settings",
        "people", "families",
        "policy", "steps",
    ]
    /// The permitted keys of an app in the list `apps`.
    static let appKeys = ["id", "catalog", "settings", "version", "apple id"]
    /// The permitted keys of the policy, which contains the rules that decide access.
    static let policyKeys = ["renewal leeway", "grace", "billing retry entitles", "refunds", "environments"]

    /// The maximum number of steps in a scenario.
    static let maximumSteps = 20_000

    /// Reads a scenario.
    ///
    /// - Parameters:
    ///   - text: YAML in UTF-8, at most 1 MiB, without anchors and aliases.
    ///   - file: The name of the file, for messages.
    ///   - catalog: Reads a catalog file by its path in the scenario.
    /// - Throws: ``ScenarioError``, with line and column; ``ScenarioError/all`` contains all errors of the text and of
    ///   the catalogs.
    public init(reading text: String, file: String, catalog: (String) throws -> CatalogFile) throws {
        let root = try ScenarioNode.root(of: text, file: file)
        let read = withoutActuallyEscaping(catalog) { catalog in
            var reader = ScenarioReader(root, catalog: catalog)
            return root.attempt { () throws(ScenarioError) in try reader.scenario() }
        }
        if let error = root.mistakes.error { throw error }
        guard let read else { throw root.error("the scenario cannot be read", "correct it") }
        self = read
    }

    /// Reads a scenario from a file, and reads the catalog files that the scenario names.
    ///
    /// The paths of the catalog files are relative to the file of the scenario.
    ///
    /// - Throws: ``ScenarioError``, with line and column; errors of the file system about the scenario itself.
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

/// Reads the apps, the people, the steps and the other values of a scenario.
///
/// After an error, the reader adds the error to a list and continues.
private struct ScenarioReader {
    let root: ScenarioNode
    let catalog: (String) throws -> CatalogFile
    private var settings: [SimulatorSetting] = []
    /// The catalog files that were read, by their names in the scenario.
    private var catalogFiles: [String: CatalogFile] = [:]
    /// The catalog files in the text of the scenario itself, by their names.
    private var embedded: [String: CatalogFile] = [:]
    /// Whether all catalogs were read.
    ///
    /// If `false`, a missing product is not reported as an error.
    private var knowsProducts = true

    init(_ root: ScenarioNode, catalog: @escaping (String) throws -> CatalogFile) {
        self.root = root
        self.catalog = catalog
    }

    mutating func scenario() throws(ScenarioError) -> Scenario {
        let words = try root.pairs("the scenario").map(\.word)
        guard !Set(words).isDisjoint(with: ["story", "steps", "catalog", "apps"]) else {
            throw root.error(
                "the text is not a scenario: it has neither 'story' nor 'steps'",
                "begin with 'story:'; a catalog is opened with --interactive")
        }
        let members = try root.members("the scenario", among: Scenario.keys)
        var scenario = Scenario(story: "", apps: [])
        if let node = members["story"] {
            scenario.story = root.attempt { () throws(ScenarioError) in try node.text("story") } ?? ""
        } else {
            root.addMistake("the scenario has no title", "add 'story:'")
        }
        if let node = members["settings"] { settings = ScenarioSettings.read(node) }
        scenario.file = root.mistakes.file
        read(beginning: members, into: &scenario)
        if let node = members["catalog files"] { read(embedded: node) }
        scenario.apps = apps(members)
        scenario.settings = settings
        scenario.catalogFiles = catalogFiles
        if let node = members["catalog files"] { checkUse(ofEmbedded: node) }
        scenario.embeddedCatalogs = Set(embedded.keys)
        if let node = members["catalog"] { scenario.catalogs = [texts(node, "catalog")] }
        for node in members["apps"]?.elements ?? [] where node.isMapping {
            let pairs = root.attempt { () throws(ScenarioError) in try node.pairs("an app") } ?? []
            scenario.catalogs.append(pairs.first { $0.word == "catalog" }.map { texts($0.value, "catalog") } ?? [])
        }
        scenario.policy = EntitlementPolicy(environments: [scenario.environment: .grant])
        if let node = members["policy"] { read(policy: node, into: &scenario.policy) }
        let knowsPeople = read(people: members, into: &scenario)
        guard let steps = members["steps"] else { throw root.error("the scenario has no steps", "add 'steps:'") }
        guard !steps.isMapping else {
            throw steps.error("'steps' is not a list", "begin each step with '- '")
        }
        var reader = StepReader(
            apps: scenario.apps, people: ScenarioPeople(scenario.people.map(\.name)), knowsProducts: knowsProducts,
            knowsPeople: knowsPeople)
        let nodes = steps.elements
        guard nodes.count <= Scenario.maximumSteps else {
            throw steps.error("the scenario has more than \(Scenario.maximumSteps) steps", "split it")
        }
        for node in nodes {
            if let step = reader.step(node) { scenario.steps.append(step) }
        }
        return scenario
    }

    private func texts(_ node: ScenarioNode, _ name: String) -> [String] {
        node.elements.compactMap { element in
            root.attempt { () throws(ScenarioError) in try element.text(name) }
        }
    }

    private func read(beginning members: [String: ScenarioNode], into scenario: inout Scenario) {
        func read<Value>(
            _ key: String, into value: inout Value, _ body: (ScenarioNode) throws(ScenarioError) -> Value
        ) {
            guard let node = members[key] else { return }
            if let found = root.attempt({ () throws(ScenarioError) in try body(node) }) { value = found }
        }
        read("about", into: &scenario.about) { node throws(ScenarioError) in try node.text("about") }
        read("environment", into: &scenario.environment) { node throws(ScenarioError) in
            try Self.environment(node)
        }
        read("start", into: &scenario.start) { node throws(ScenarioError) in try node.instant("start") }
        read("seed", into: &scenario.seed) { node throws(ScenarioError) in
            guard let seed = UInt64(try node.text("seed")) else {
                throw node.error("'seed' is not a whole number", "write digits only")
            }
            return seed
        }
    }

    // MARK: Apps

    private mutating func apps(_ members: [String: ScenarioNode]) -> [SimulatedApp] {
        guard let list = members["apps"] else {
            guard let node = members["catalog"] else {
                root.addMistake("the scenario names no catalog", "add 'catalog:' with a path relative to the file")
                knowsProducts = false
                return []
            }
            let id = members["app"].flatMap { node in
                root.attempt { () throws(ScenarioError) in try node.text("app") }
            }
            return [app(id: id, catalog: node)]
        }
        for key in ["app", "catalog"] {
            members[key]?.addMistake("'\(key)' and 'apps' cannot be combined", "keep 'apps'")
        }
        var apps: [SimulatedApp] = []
        for node in list.elements {
            let app = root.attempt { () throws(ScenarioError) in try self.app(in: node) }
            guard let app else {
                knowsProducts = false
                continue
            }
            if apps.contains(where: { $0.bundleID == app.bundleID }) {
                node.addMistake("two apps have the id '\(app.bundleID)'", "give each a different 'id:'")
            }
            apps.append(app)
        }
        if list.elements.isEmpty { list.addMistake("'apps' is empty", "name one") }
        return apps
    }

    private mutating func app(in node: ScenarioNode) throws(ScenarioError) -> SimulatedApp {
        let members = try node.members("an app", among: Scenario.appKeys)
        guard let catalog = members["catalog"] else { throw node.error("the app has no catalog", "add 'catalog:'") }
        let id = try members["id"]?.text("id")
        var app = app(id: id, catalog: catalog)
        if let node = members["settings"] {
            for setting in ScenarioSettings.read(node) { app.settings = app.settings.with(setting) }
        }
        if let node = members["version"] { app.version = try node.text("version") }
        if let node = members["apple id"] { app.appleID = try node.integer("apple id") }
        return app
    }

    private mutating func app(id: String?, catalog node: ScenarioNode) -> SimulatedApp {
        var files: [(file: CatalogFile, place: ScenarioNode)] = []
        var result = AppSettings()
        var mistakes = 0
        if node.elements.isEmpty { node.addMistake("'catalog' names no file", "write a path relative to the file") }
        for path in node.elements {
            guard let name = root.attempt({ () throws(ScenarioError) in try path.text("catalog") }) else {
                mistakes += 1
                continue
            }
            do {
                let file = try embedded[name] ?? catalog(name)
                files.append((file, path))
                catalogFiles[name] = file
                // If this file contains no settings, the settings of an earlier file apply.
                let stated = try StoreKitSettings(file)
                if stated != StoreKitSettings() { result = AppSettings(stated) }
            } catch let error as CatalogError {
                mistakes += 1
                root.mistakes.add(path.error(error))
            } catch {
                mistakes += 1
                root.mistakes.add(path.unreadable("the catalog '\(name)' cannot be read", "check the path"))
            }
        }
        for setting in settings { result = result.with(setting) }
        let read = mistakes == 0 ? catalog(of: files, at: node) : nil
        knowsProducts = knowsProducts && read != nil
        return SimulatedApp(bundleID: id ?? "com.example.game", catalog: read ?? .empty, settings: result)
    }

    /// Reads the catalog files in the text of the scenario itself.
    private mutating func read(embedded node: ScenarioNode) {
        for pair in root.attempt({ () throws(ScenarioError) in try node.pairs("'catalog files'") }) ?? [] {
            let bytes = pair.value.attempt { () throws(ScenarioError) in try pair.value.fileContent(pair.word) }
            if let bytes { embedded[pair.word] = CatalogFile(name: pair.word, bytes: bytes) }
        }
    }

    /// Adds an error for each catalog file in the scenario's text that is unused, because no key `catalog` names it.
    private func checkUse(ofEmbedded node: ScenarioNode) {
        let named = (root.attempt { () throws(ScenarioError) in try node.pairs("'catalog files'") } ?? [])
        for pair in named where embedded[pair.word] != nil && catalogFiles[pair.word] == nil {
            pair.key.addMistake("no catalog is '\(pair.word)'", "name it under 'catalog:', or leave it out")
        }
    }

    /// Returns the catalog that the files form together.
    ///
    /// If the catalog is invalid, adds the errors of each file and returns `nil`.
    private func catalog(of files: [(file: CatalogFile, place: ScenarioNode)], at node: ScenarioNode) -> Catalog? {
        do {
            return try Catalog(reading: files.map(\.file))
        } catch {
            root.mistakes.add((files.first { $0.file.name == error.file }?.place ?? node).error(error))
        }
        for (file, place) in files {
            do { _ = try Catalog(reading: [file]) } catch { root.mistakes.add(place.error(error)) }
        }
        return nil
    }

    // MARK: People

    /// Reads people and families.
    ///
    /// - Returns: Whether all people were valid.
    private func read(people members: [String: ScenarioNode], into scenario: inout Scenario) -> Bool {
        let before = root.mistakes.count
        var names: Set<CustomerID> = []
        for node in members["people"]?.elements ?? [] {
            guard let person = root.attempt({ () throws(ScenarioError) in try person(node) }) else { continue }
            if names.insert(person.name).inserted {
                scenario.people.append(person)
            } else {
                node.addMistake("'\(person.name)' is listed twice among the people", "keep one")
            }
        }
        let knowsPeople = root.mistakes.count == before
        var relatives: Set<CustomerID> = []
        for node in members["families"]?.elements ?? [] {
            var family: [CustomerID] = []
            for element in node.elements {
                guard let text = root.attempt({ () throws(ScenarioError) in try element.text("families") }) else {
                    continue
                }
                let name = CustomerID(rawValue: text)
                if knowsPeople, !names.contains(name) {
                    let advice = NearestWord.advice(for: text, among: names.map(\.rawValue).sorted())
                    element.addMistake("there is no person '\(name)'", advice)
                }
                if !relatives.insert(name).inserted {
                    element.addMistake(
                        "'\(name)' is listed in two families", "a person belongs to at most one; keep one")
                }
                family.append(name)
            }
            scenario.families.append(family)
        }
        return knowsPeople
    }

    private func person(_ node: ScenarioNode) throws(ScenarioError) -> Scenario.Person {
        guard node.isMapping else {
            return Scenario.Person(CustomerID(rawValue: try node.text("people")))
        }
        let members = try node.members("a person", among: ["name", "storefront"])
        guard let name = members["name"] else { throw node.error("the person has no name", "add 'name:'") }
        return Scenario.Person(
            CustomerID(rawValue: try name.text("name")),
            storefront: try members["storefront"].map { node throws(ScenarioError) in
                try ScenarioSettings.country(node)
            })
    }

    // MARK: The policy

    private func read(policy node: ScenarioNode, into policy: inout EntitlementPolicy) {
        let known = Scenario.policyKeys
        let members = root.attempt { () throws(ScenarioError) in try node.members("the policy", among: known) } ?? [:]
        for (key, node) in members {
            _ = root.attempt { () throws(ScenarioError) in try Self.read(key, node, into: &policy) }
        }
    }

    private static func read(
        _ key: String, _ node: ScenarioNode, into policy: inout EntitlementPolicy
    ) throws(ScenarioError) {
        switch key {
        case "renewal leeway":
            guard let span = ScenarioSpan(try node.text(key)), span.months == 0,
                span.milliseconds <= EntitlementPolicy.maximumRenewalLeeway.milliseconds
            else { throw node.error("the leeway is not a duration of at most a day", "write it like '1 hour'") }
            policy.renewalLeeway = .milliseconds(span.milliseconds)
        case "grace": policy.gracePeriodEntitles = try node.flag(key)
        case "billing retry entitles": policy.billingRetryEntitles = try node.flag(key)
        case "refunds": policy.refundPolicy = try node.word(key, of: RefundPolicy.self)
        default:
            policy.environments = [:]
            for element in node.elements { policy.environments[try environment(element)] = .grant }
        }
    }

    private static func environment(_ node: ScenarioNode) throws(ScenarioError) -> AppStore.Environment {
        let word = try node.text("environment")
        let known = ["Production", "Sandbox", "Xcode", "LocalTesting"]
        guard let name = known.first(where: { $0.lowercased() == word.lowercased() }) else {
            throw node.error("'\(word)' is not a valid environment", NearestWord.advice(for: word, among: known))
        }
        return AppStore.Environment(rawValue: name)
    }
}
