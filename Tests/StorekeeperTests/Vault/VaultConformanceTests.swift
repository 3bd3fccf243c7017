import Storekeeper
import StorekeeperTesting
import Testing

@Suite("The conformance suite of vaults") struct VaultConformanceTests {
    struct Flaw: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let vault: BrokenVault

        init(_ testDescription: String, _ bend: (inout BrokenVault) -> Void) {
            self.testDescription = testDescription
            var vault = BrokenVault()
            bend(&vault)
            self.vault = vault
        }

        /// A vault of its own with the flaw.
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
        Flaw("gives the last row of each page away") { vault in
            vault.onParked = { VaultPage($0.rows.dropLast(), next: $0.next) }
        },
        Flaw("passes over one who is owed something") { vault in
            vault.onOwed = { $0.filter { $0 != "c5" } }
        },
        Flaw("gives every node the same customer") { vault in
            vault.onLease = { WakeLease(node: "the only one", duration: $0.duration) }
        },
        Flaw("leases for ever") { vault in
            vault.onLease = { WakeLease(node: $0.node, duration: .seconds(1_000_000)) }
        },
        Flaw("says of every step that it was written") { vault in
            vault.onStep = { _ in true }
        },
        Flaw("forgets the names of steps") { vault in
            vault.onBatch = { batch in
                var batch = batch
                batch.step = nil
                return [batch]
            }
        },
        Flaw("gives cancelled callers nothing") { vault in
            vault.onRecord = { record in Task.isCancelled ? CustomerRecord() : record }
        },
        Flaw("writes whatever the version is") { vault in
            vault.onBatch = { batch in
                var batch = batch
                batch.expectedVersion = nil
                return [batch]
            }
        },
        Flaw("writes fact by fact") { vault in
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
        Flaw("credits whatever the policy is") { vault in
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
        Flaw("uses each key for each customer only until the next call") { vault in
            vault.onRequests = { requests in
                requests.map { request in
                    var request = request
                    if !request.key.rawValue.isEmpty { request.key = "\(request.key) at \(request.at)" }
                    return request
                }
            }
        },
        Flaw("never finishes") { vault in vault.onState = { $0 ?? .delivered } },
        Flaw("gives everybody what they claim") { vault in vault.onClaim = { _ in nil } },
        Flaw("forgets nobody") { vault in vault.erases = false },
        Flaw("pages backwards") { vault in vault.onEntries = { $0.reversed() } },
        Flaw("finds faults in itself") { vault in
            vault.onReport = { _ in IntegrityReport(links: 0, faults: [VaultFault(.link, "1", "broken")]) }
        },
    ]

    @Test("finds a vault out that", arguments: flaws)
    func finds(_ flaw: Flaw) async {
        await withKnownIssue { try await VaultConformance { flaw.makeVault() }.run() }
    }

    @Test("finds out a vault that forgets when it is opened again")
    func forgetsOnReopening() async throws {
        try await withKnownIssue {
            try await VaultConformance(reopen: { _ in InMemoryVault() }) { InMemoryVault() }.run()
        } matching: { issue in
            issue.comments.contains { $0.rawValue.contains("reopening") }
        }
    }

    @Test("accepts a vault that keeps all when it is opened again")
    func keepsOnReopening() async throws {
        try await VaultConformance(reopen: { $0 }) { BrokenVault() }.run()
    }
}
