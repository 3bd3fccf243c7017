package import Storekeeper

/// One step of a scenario.
package struct ScenarioStep: Sendable {
    /// What a step does.
    package enum Action: Hashable, Sendable {
        /// Carries out commands; `TransactionReference.id` may hold a name that an earlier step has given.
        case perform([SimulatorCommand])
        /// Answers for a guardian; of a product the purchase of it that waits.
        case answerGuardian(Bool, TransactionReference)
        /// Lets time pass.
        case advance(ScenarioSpan)
        /// Lets time pass until something happens.
        case advanceToNextEvent
        /// Lets time pass up to what the machine's clock shows.
        case advanceToNow
        /// Takes from a balance in the engine's account.
        case spend(Int64, of: Balance.ID, by: CustomerID, key: LedgerRequest.Key?)
        /// Adds to a balance in the engine's account.
        case grant(Int64, of: Balance.ID, to: CustomerID, key: LedgerRequest.Key?)
        /// Looks whether all is as expected.
        case expect([ScenarioExpectation])
    }

    /// What it does.
    package var action: Action
    /// The step in a few words, as the file has it.
    package var text: String
    /// Where it stands in the file, from 1; 0 where it stands in none.
    package var line: Int
    /// The bundle id of the app; `nil`: the first.
    package var app: String?
    /// The name that its transaction gets.
    package var name: String?
    /// The result that is expected; `nil` expects none in particular.
    package var outcome: String?
    /// The code of the error that is expected; `nil` expects none.
    package var error: String?

    /// Makes a step.
    package init(
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
