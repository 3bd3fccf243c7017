package import Storekeeper

/// A script for a simulated App Store, with steps and expectations, read from a text file.
///
/// ``ScenarioRunner`` plays the scenario. Every change of the store is a ``SimulatorCommand``.
public struct Scenario: Sendable {
    /// A person with an Apple Account.
    package struct Person: Hashable, Sendable {
        /// The person's name.
        package var name: CustomerID
        /// The person's storefront, as three letters; `nil` for the storefront in the settings.
        package var storefront: String?

        /// Creates a person.
        package init(_ name: CustomerID, storefront: String? = nil) {
            self.name = name
            self.storefront = storefront
        }
    }

    /// The name of the file, for messages.
    public var file: String
    /// The name of the scenario.
    public var story: String
    /// A description of the scenario.
    public var about: String?
    /// The apps, at least one; a step that names no app applies to the first app.
    package var apps: [SimulatedApp]
    /// For each app, in order, the names of its catalog files, as the scenario file writes them.
    package var catalogs: [[String]]
    /// The contents of the catalog files, by their names in the scenario.
    package var catalogFiles: [String: CatalogFile]
    /// The names of the catalog files whose contents are in the text of the scenario itself.
    package var embeddedCatalogs: Set<String>
    /// The settings that override the settings of the catalogs.
    package var settings: [SimulatorSetting]
    /// The environment of the App Store.
    package var environment: AppStore.Environment
    /// The instant at which the scenario begins.
    package var start: Instant
    /// The random seed.
    package var seed: UInt64
    /// The people with accounts from the beginning.
    package var people: [Person]
    /// The families that exist from the beginning, each with its organizer first.
    package var families: [[CustomerID]]
    /// The policy of the engines.
    package var policy: EntitlementPolicy
    /// The steps, in order.
    package var steps: [ScenarioStep]

    /// Creates a scenario without steps.
    package init(
        story: String, apps: [SimulatedApp], environment: AppStore.Environment = .sandbox,
        start: Instant = SimulatedAppStore.defaultStart, seed: UInt64 = 0
    ) {
        file = "scenario"
        self.story = story
        self.apps = apps
        catalogs = []
        catalogFiles = [:]
        embeddedCatalogs = []
        settings = []
        self.environment = environment
        self.start = start
        self.seed = seed
        people = []
        families = []
        policy = EntitlementPolicy(environments: [environment: .grant])
        steps = []
    }

    /// The commands to perform before the first step.
    var opening: [SimulatorCommand] {
        var commands = people.map { SimulatorCommand.createAccount($0.name, storefront: $0.storefront) }
        for family in families {
            guard let organizer = family.first else { continue }
            commands.append(.createFamily(organizer: organizer))
            commands += family.dropFirst().map { .joinFamily($0, of: organizer) }
        }
        return commands
    }
}
