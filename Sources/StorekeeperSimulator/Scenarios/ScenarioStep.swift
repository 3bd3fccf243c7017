package import Storekeeper

/// One step of a scenario.
package struct ScenarioStep: Sendable {
    /// The action of a step.
    package enum Action: Hashable, Sendable {
        /// Performs commands; `TransactionReference.id` may hold a name given by an earlier step.
        case perform([SimulatorCommand])
        /// Answers for a guardian; a product refers to its pending purchase.
        case answerGuardian(Bool, TransactionReference)
        /// Advances time.
        case advance(ScenarioSpan)
        /// Advances time until something happens.
        case advanceToNextEvent
        /// Advances time to the machine's clock.
        case advanceToNow
        /// Spends from a balance of the engine's account.
        case spend(Int64, of: Balance.ID, by: CustomerID, key: LedgerRequest.Key?)
        /// Grants to a balance of the engine's account.
        case grant(Int64, of: Balance.ID, to: CustomerID, key: LedgerRequest.Key?)
        /// Grants access without a purchase in the engine's account, until an instant.
        case grantAccess(AccessGrant.Subject, to: CustomerID, until: Instant, key: AccessGrant.ID?)
        /// Revokes access in the engine's account, by the key of the grant.
        case revokeAccess(AccessGrant.ID, of: CustomerID)
        /// Checks expectations.
        case expect([ScenarioExpectation])
    }

    /// The action.
    package var action: Action
    /// The step in a few words, as the file has it.
    package var text: String
    /// Its line in the file, from 1; 0 if it is not from a file.
    package var line: Int
    /// The bundle id of the app; `nil` for the first.
    package var app: String?
    /// The name for its transaction.
    package var name: String?
    /// The expected result; `nil` for any.
    package var outcome: String?
    /// The code of the expected error; `nil` expects none.
    package var error: String?

    /// Creates a step.
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
