package import Storekeeper

/// A story that is to be played in a simulated App Store, and what is expected of it: a value, read from a small text.
///
/// ``ScenarioRunner`` plays it. Every step that changes the store is a ``SimulatorCommand``; nothing else does.
public struct Scenario: Sendable {
    /// Somebody with an Apple Account.
    package struct Person: Hashable, Sendable {
        /// What they are called.
        package var name: CustomerID
        /// Their storefront, three letters; `nil`: that of the settings.
        package var storefront: String?

        /// Makes a person.
        package init(_ name: CustomerID, storefront: String? = nil) {
            self.name = name
            self.storefront = storefront
        }
    }

    /// What the file is called, for messages.
    public var file: String
    /// What the story is called.
    public var story: String
    /// What it shows, in prose.
    public var about: String?
    /// The apps, at least one; the first is meant where a step names none.
    package var apps: [SimulatedApp]
    /// The files from which each app's catalog was read, in the order of the apps, as the file names them.
    package var catalogs: [[String]]
    /// What stood in those files, by the name as it stands in the scenario.
    package var catalogFiles: [String: CatalogFile]
    /// The settings that hold in place of those of the catalogs.
    package var settings: [SimulatorSetting]
    /// What kind of App Store it is.
    package var environment: AppStore.Environment
    /// When it begins.
    package var start: Instant
    /// What chances are drawn from.
    package var seed: UInt64
    /// Those who have accounts from the beginning.
    package var people: [Person]
    /// The families from the beginning, the organiser of each first.
    package var families: [[CustomerID]]
    /// By what the engine judges.
    package var policy: EntitlementPolicy
    /// What happens, in order.
    package var steps: [ScenarioStep]

    /// Makes a scenario without steps.
    package init(
        story: String, apps: [SimulatedApp], environment: AppStore.Environment = .sandbox,
        start: Instant = SimulatedAppStore.defaultStart, seed: UInt64 = 0
    ) {
        file = "scenario"
        self.story = story
        self.apps = apps
        catalogs = []
        catalogFiles = [:]
        settings = []
        self.environment = environment
        self.start = start
        self.seed = seed
        people = []
        families = []
        policy = EntitlementPolicy(environments: [environment: .grant])
        steps = []
    }

    /// The commands that set the stage before the first step.
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
