package import Storekeeper
package import Testing

/// Checks that a vault obeys the laws of `Vault`.
///
/// If the storage can be opened again, the suite also checks that all acknowledged writes are still in the vault.
///
/// Each violation is recorded as an issue. The evidence consists of drafts with fake signatures, because a vault does
/// not verify signatures.
package struct VaultConformance<Tested: TransactionalVault>: Sendable {
    private let sourceLocation: SourceLocation
    private let reopen: (@Sendable (Tested) async throws -> Tested)?
    private let makeVault: @Sendable () async throws -> Tested

    /// Creates the suite for a vault.
    ///
    /// - Parameters:
    ///   - sourceLocation: The source location for recorded issues.
    ///   - reopen: Closes the given vault if necessary, and opens its storage again; `nil` if the vault is not
    ///     persistent.
    ///   - makeVault: Creates an empty vault. The closure is called once for each law.
    package init(
        sourceLocation: SourceLocation = #_sourceLocation,
        reopen: (@Sendable (Tested) async throws -> Tested)? = nil,
        makeVault: @escaping @Sendable () async throws -> Tested
    ) {
        self.sourceLocation = sourceLocation
        self.reopen = reopen
        self.makeVault = makeVault
    }

    /// Checks each law on a new vault.
    ///
    /// - Throws: `CancellationError` if the task is cancelled. Violations are recorded as issues instead of thrown.
    package func run() async throws {
        var checks = VaultLawCheck<Tested>.checks
        if let reopen {
            checks += [
                VaultCheck("acknowledged writes are there after reopening") { try await $0.durability(reopen) },
                VaultCheck("refused writes are not there after reopening") { try await $0.refusals(reopen) },
            ]
        }
        for check in checks {
            try Task.checkCancellation()
            await perform(check)
        }
    }

    private func perform(_ check: VaultCheck<Tested>) async {
        do {
            let trial = VaultLawCheck(vault: try await makeVault(), law: check.law, sourceLocation: sourceLocation)
            try await check.body(trial)
        } catch {
            Issue.record(
                "\(Tested.self) violates the law of vaults \"\(check.law)\" by an error: \(error)",
                sourceLocation: sourceLocation)
        }
    }
}

/// A law, and the function that checks it.
struct VaultCheck<Tested: TransactionalVault>: Sendable {
    let law: String
    let body: @Sendable (VaultLawCheck<Tested>) async throws -> Void

    init(_ law: String, _ body: @escaping @Sendable (VaultLawCheck<Tested>) async throws -> Void) {
        self.law = law
        self.body = body
    }
}

/// The check of one law on a vault.
struct VaultLawCheck<Tested: TransactionalVault>: Sendable {
    let vault: Tested
    let law: String
    let sourceLocation: SourceLocation

    static var checks: [VaultCheck<Tested>] {
        recordChecks + nameChecks + ownershipChecks + predecessorChecks + transferChecks + tokenChecks + parkChecks
            + otherEvidenceChecks + creditChecks + refundChecks
            + requestChecks + accessChecks + noteChecks
            + pageChecks + wakeChecks + deliveryChecks + erasureChecks + concurrencyChecks + stepChecks + stepIDChecks
            + copyChecks + webhookChecks
    }

    /// Records an issue if a condition is false.
    func expect(_ holds: Bool, _ what: @autoclosure () -> String) {
        if holds { return }
        Issue.record(
            "\(Tested.self) violates the law of vaults \"\(law)\": \(what())", sourceLocation: sourceLocation)
    }

    /// Records an issue if two values differ.
    func expect<Value: Equatable>(_ found: Value, is wanted: Value, _ what: String) {
        expect(found == wanted, "\(what) is \(found), but should be \(wanted)")
    }

    /// Records an issue unless a call throws an error with the given code.
    func expect(_ code: VaultError.Code, from what: String, _ call: () async throws(VaultError) -> Void) async {
        do throws(VaultError) {
            try await call()
            expect(false, "\(what) should throw \(code.rawValue), but threw nothing")
        } catch {
            expect(error.code, is: code, "the code of the error of \(what)")
        }
    }
}
