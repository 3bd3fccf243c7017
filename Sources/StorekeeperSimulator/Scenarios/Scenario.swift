public import Storekeeper

/// A story that is to be played in a simulated App Store, and what is expected of it: a value, read from a small text.
///
/// ``ScenarioRunner`` plays it. Every step that changes the store is a ``SimulatorCommand``; nothing else does.
public struct Scenario: Sendable {
    /// Somebody with an Apple Account.
    public struct Person: Hashable, Sendable {
        /// What they are called.
        public var name: CustomerID
        /// Their storefront, three letters; `nil`: that of the settings.
        public var storefront: String?

        /// Makes a person.
        public init(_ name: CustomerID, storefront: String? = nil) {
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
    public var apps: [SimulatedApp]
    /// The files from which each app's catalog was read, in the order of the apps, as the file names them.
    public var catalogs: [[String]]
    /// The settings that hold in place of those of the catalogs.
    public var settings: [SimulatorSetting]
    /// What kind of App Store it is.
    public var environment: AppStore.Environment
    /// When it begins.
    public var start: Instant
    /// What chances are drawn from.
    public var seed: UInt64
    /// Those who have accounts from the beginning.
    public var people: [Person]
    /// The families from the beginning, the organiser of each first.
    public var families: [[CustomerID]]
    /// By what the engine judges.
    public var policy: EntitlementPolicy
    /// What happens, in order.
    public var steps: [ScenarioStep]

    /// Makes a scenario without steps.
    public init(
        story: String, apps: [SimulatedApp], environment: AppStore.Environment = .sandbox,
        start: Instant = SimulatedAppStore.defaultStart, seed: UInt64 = 0
    ) {
        file = "scenario"
        self.story = story
        self.apps = apps
        catalogs = []
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

/// One step of a scenario.
public struct ScenarioStep: Sendable {
    /// What a step does.
    public enum Action: Hashable, Sendable {
        /// Carries out commands; `TransactionReference.id` may hold a name that an earlier step has given.
        case perform([SimulatorCommand])
        /// Answers for a guardian; of a product the purchase of it that waits.
        case answerGuardian(Bool, TransactionReference)
        /// Lets time pass.
        case advance(ScenarioSpan)
        /// Lets time pass until something happens.
        case advanceToNextEvent
        /// Takes from a balance in the engine's account.
        case spend(Int64, of: String, by: CustomerID, key: String?)
        /// Adds to a balance in the engine's account.
        case grant(Int64, of: String, to: CustomerID, key: String?)
        /// Looks whether all is as expected.
        case expect([ScenarioExpectation])
    }

    /// What it does.
    public var action: Action
    /// The step in a few words, as the file has it.
    public var text: String
    /// Where it stands in the file, from 1; 0 where it stands in none.
    public var line: Int
    /// The bundle id of the app; `nil`: the first.
    public var app: String?
    /// The name that its transaction gets.
    public var name: String?
    /// What is expected to come of it; `nil` expects nothing in particular.
    public var outcome: String?
    /// The code of the error that is expected; `nil` expects none.
    public var error: String?

    /// Makes a step.
    public init(
        _ action: Action, text: String, line: Int = 0, app: String? = nil, name: String? = nil,
        outcome: String? = nil, error: String? = nil
    ) {
        self.action = action
        self.text = text
        self.line = line
        self.app = app
        self.name = name
        self.outcome = outcome
        self.error = error
    }
}

/// Something expected of the engine or of the App Store.
public enum ScenarioExpectation: Hashable, Sendable {
    /// An answer about a product or feature.
    case answer(Answer)
    /// The product that gives the highest service of a group; `nil`: none was ever bought.
    case highest(group: String, product: Product.ID?, person: CustomerID)
    /// The state of the subscription of a product, or of the highest of a group.
    case state(subject: String, state: RenewalState, person: CustomerID)
    /// What is left of a balance.
    case balance(String, amount: Int64, person: CustomerID)
    /// The notifications since the last such expectation, of a person or of all.
    case notifications([String], person: CustomerID?)
    /// What happened since the last such expectation, to a person or at all.
    case happened([String], person: CustomerID?)
    /// The engine's events since the last such expectation, of a person.
    case events([String], person: CustomerID)
    /// Members of what was signed last.
    case signed(Signed)

    /// An answer about a product or feature.
    public struct Answer: Hashable, Sendable {
        /// The product or feature.
        public var subject: String
        /// `entitled`, `pending`, `lapsed`, `never` or `unknown`.
        public var word: String
        /// The reason; `nil`: any.
        public var reason: String?
        /// When the answer ends; `nil`: whenever.
        public var until: Instant?
        /// Whether it must have no end.
        public var isEndless: Bool
        /// About whom.
        public var person: CustomerID
    }
}
