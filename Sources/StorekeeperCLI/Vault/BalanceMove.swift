import Storekeeper

/// Executes a request to change a balance, and prints the result.
struct BalanceMove {
    let request: LedgerRequest
    let settings: VaultSettings
    let format: OutputFormat

    /// Executes the request in one atomic write of the vault, and prints the receipt or the refusal.
    ///
    /// - Throws: ``CommandError`` with status 64 if a different request has used the idempotency key.
    func run(on console: Console) async throws(CommandError) -> ExitStatus {
        guard !request.key.rawValue.isEmpty else { throw .emptyKey }
        guard !request.balance.rawValue.isEmpty else {
            throw .usage("the balance has no name", at: "BALANCE", "name it, such as coins")
        }
        let catalog = try settings.catalog()
        let results = try await settings.place.with(for: .writing) { vault in
            if !catalog.products.isEmpty {
                try BalanceNames(catalog, and: try await vault.balances(of: request.customer)).check(request.balance)
            }
            // The person at the terminal makes the request once; a refusal is to change nothing.
            var request = request
            request.remembersRefusal = false
            return try await vault.move([request], policy: settings.configuration.policy.refundPolicy)
        }
        switch results.first {
        case .success(let receipt):
            print(receipt, on: console)
            return .success
        case .failure(.keyReused): throw .reusedKey
        case .failure(.insufficient(let balance)):
            refuse(
                "insufficient", balance: balance,
                "Not spent: \(request.balance) has \(balance), but \(request.quantity) were requested.", on: console)
            return .no
        case .failure(.frozen(let debt)):
            refuse(
                "frozen", balance: nil,
                "Not spent: \(debt) is below zero after a refund; nothing can be spent until this is resolved.",
                on: console)
            return .no
        case .failure(.unknownGrant), nil:
            throw CommandError(.bug, "the vault gave no answer", at: settings.place.name, "report it")
        }
    }

    private func print(_ receipt: LedgerReceipt, on console: Console) {
        let (quantity, name) = (request.quantity, request.balance)
        let done =
            switch (request.kind, receipt.isReplay) {
            case (.spend, false): "Spent \(quantity) \(name); \(receipt.balance) left."
            case (.spend, true): "Spent before: \(quantity) \(name); \(receipt.balance) were left then."
            case (.grant, false): "Granted \(quantity) \(name); now \(receipt.balance)."
            case (.grant, true): "Granted before: \(quantity) \(name); \(receipt.balance) then."
            }
        console.print(
            format, json: receipt.json, lines: ["\(done) Receipt \(receipt.receipt).".onOneLine])
    }

    private func refuse(_ word: String, balance: Int64?, _ text: String, on console: Console) {
        console.print(
            format, json: .object(["balance": balance.map(JSONText.integer) ?? .null, "refused": .string(word)]),
            lines: [text.onOneLine])
    }
}
