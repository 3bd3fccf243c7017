import Storekeeper
import StorekeeperTesting
import Testing

@Suite("The conformance suite of vaults") struct VaultConformanceTests {
    struct Flaw: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let vault: BrokenVault

        init(_ testDescription: String, _ alter: (inout BrokenVault) -> Void) {
            self.testDescription = testDescription
            var vault = BrokenVault()
            alter(&vault)
            self.vault = vault
        }

        /// Makes a new vault with the flaw.
        func makeVault() -> BrokenVault {
            BrokenVault(
                onBatch: vault.onBatch, onRequests: vault.onRequests, onRecord: vault.onRecord,
                onFacts: vault.onFacts, onEntries: vault.onEntries, onBalances: vault.onBalances,
                onHolders: vault.onHolders, onState: vault.onState, onClaim: vault.onClaim,
                onReport: vault.onReport, onParked: vault.onParked, onOwed: vault.onOwed, onLease: vault.onLease,
                onStep: vault.onStep, erases: vault.erases)
        }
    }

    static let flaws = [
        Flaw("forgets the last fact") { vault in
            vault.onRecord = { record in
                var record = record
                record.facts = record.facts.dropLast()
                return record
            }
        },
        Flaw("ends a list of parked evidence with its first page") { vault in
            vault.onParked = { VaultPage($0.rows) }
        },
        Flaw("omits the last row of each page") { vault in
            vault.onParked = { VaultPage($0.rows.dropLast(), next: $0.next) }
        },
        Flaw("omits a customer with owed deliveries") { vault in
            vault.onOwed = { $0.filter { $0 != "c5" } }
        },
        Flaw("gives every node the same customer") { vault in
            vault.onLease = { WakeLease(node: "the only one", duration: $0.duration) }
        },
        Flaw("never ends a lease") { vault in
            vault.onLease = { WakeLease(node: $0.node, duration: .seconds(1_000_000)) }
        },
        Flaw("reports every step as written") { vault in
            vault.onStep = { _ in true }
        },
        Flaw("forgets the ids of steps") { vault in
            vault.onBatch = { batch in
                var batch = batch
                batch.step = nil
                return [batch]
            }
        },
        Flaw("returns an empty record to a cancelled caller") { vault in
            vault.onRecord = { record in Task.isCancelled ? CustomerRecord() : record }
        },
        Flaw("ignores the expected version") { vault in
            vault.onBatch = { batch in
                var batch = batch
                batch.expectedVersion = nil
                return [batch]
            }
        },
        Flaw("writes each fact separately") { vault in
            vault.onBatch = { batch in
                batch.facts.map { fact in
                    var piece = batch
                    piece.facts = [fact]
                    return piece
                } + (batch.facts.isEmpty ? [batch] : [])
            }
        },
        Flaw("writes events twice") { vault in
            vault.onBatch = { batch in
                var repeated = batch
                repeated.events += batch.events
                return [repeated]
            }
        },
        Flaw("ignores the policy for credits") { vault in
            vault.onBatch = { batch in
                var batch = batch
                batch.rule = LedgerRule(catalog: batch.rule.catalog)
                return [batch]
            }
        },
        Flaw("spends one coin less") { vault in
            vault.onRequests = { requests in
                requests.map { request in
                    var request = request
                    if request.quantity > 1 { request.quantity -= 1 }
                    return request
                }
            }
        },
        Flaw("forgets request keys after each call") { vault in
            vault.onRequests = { requests in
                requests.map { request in
                    var request = request
                    if !request.key.rawValue.isEmpty { request.key = "\(request.key) at \(request.at)" }
                    return request
                }
            }
        },
        Flaw("never marks a delivery as finished") { vault in vault.onState = { $0 ?? .delivered } },
        Flaw("accepts every claim") { vault in vault.onClaim = { _ in nil } },
        Flaw("erases no customer") { vault in vault.erases = false },
        Flaw("lists entries backwards") { vault in vault.onEntries = { $0.reversed() } },
        Flaw("reports faults in itself") { vault in
            vault.onReport = { _ in IntegrityReport(links: 0, faults: [VaultFault(.link, "1", "broken")]) }
        },
    ]

    @Test("The conformance suite rejects a vault that has the flaw", arguments: flaws)
    func finds(_ flaw: Flaw) async {
        await withKnownIssue { try await VaultConformance { flaw.makeVault() }.run() }
    }

    @Test("The conformance suite rejects a vault that forgets its content when it is reopened")
    func forgetsOnReopening() async throws {
        try await withKnownIssue {
            try await VaultConformance(reopen: { _ in InMemoryVault() }) { InMemoryVault() }.run()
        } matching: { issue in
            issue.comments.contains { $0.rawValue.contains("reopening") }
        }
    }

    @Test("The conformance suite accepts a vault that keeps its content when it is reopened")
    func keepsOnReopening() async throws {
        try await VaultConformance(reopen: { $0 }) { BrokenVault() }.run()
    }
}
