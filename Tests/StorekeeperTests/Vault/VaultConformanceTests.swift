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
                onReport: vault.onReport, erases: vault.erases)
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
                    request.key += request.key.isEmpty ? "" : " at \(request.at)"
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
