package import Storekeeper

/// One step of a scenario.
package struct ScenarioStep: Sendable {
    /// The action of a step.
    package enum Action: Hashable, Sendable {
        /// Performs commands.
        ///
        /// A `TransactionReference.id` may contain the name that an earlier step has given to a purchase.
        case perform([SimulatorCommand])
        /// Approves or declines a pending purchase as a guardian.
        ///
        /// A reference to a product means the pending purchase of the product.
        case answerGuardian(Bool, TransactionReference)
        /// Advances time.
        case advance(ScenarioSpan)
        /// Advances time to the next event.
        case advanceToNextEvent
        /// Advances time to the current time of the machine's clock.
        case advanceToNow
        /// Spends units from a balance of the engine's account.
        case spend(Int64, of: Balance.ID, by: CustomerID, key: LedgerRequest.Key?)
        /// Adds units to a balance of the engine's account.
        case grant(Int64, of: Balance.ID, to: CustomerID, key: LedgerRequest.Key?)
        /// Grants access in the engine's account until an instant, without a purchase.
        case grantAccess(AccessGrant.Subject, to: CustomerID, until: Instant, key: AccessGrant.ID?)
        /// Revokes the access that was granted with a key in the engine's account.
        case revokeAccess(AccessGrant.ID, of: CustomerID)
        /// Checks expectations.
        case expect([ScenarioExpectation])

        /// Creates the action that performs a command.
        init(performing command: SimulatorCommand) {
            self =
                switch command {
                case .approveAskToBuy(let id): .answerGuardian(true, .id(id))
                case .declineAskToBuy(let id): .answerGuardian(false, .id(id))
                default: .perform([command])
                }
        }
    }

    /// The action.
    package var action: Action
    /// The step in one line, as in the file.
    package var text: String
    /// The step's line in the file, from 1; 0 if the step is not from a file.
    package var line: Int
    /// The bundle id of the app; `nil` for the first app.
    package var app: String?
    /// The name that the step gives to its transaction.
    package var name: String?
    /// The expected result; `nil` for any result.
    package var outcome: String?
    /// The code of the expected error; `nil` if the step must succeed.
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
