import Storekeeper
import StorekeeperJWS
import StorekeeperTesting
import Testing

/// A story's evidence after verification, as the engine receives it.
struct StoryEvidence {
    /// The verification result of every item and of every part of a notification, in the order of the files.
    let results: [CheckedEvidence]

    /// Reads and verifies the files in the command of a story.
    init(_ story: ExampleStory, environments: Set<AppStore.Environment> = [.production]) throws {
        let root = try TrustedRoot(derOrPEM: story.bytes(of: #require(story.values(of: "--root").first)))
        let verifier = JWSVerifier(
            .init(roots: [root], bundleID: story.values(of: "--bundle-id").first, environments: environments))
        var results: [CheckedEvidence] = []
        for path in story.evidence {
            var scanner = EvidenceScanner()
            for item in scanner.feed(try story.bytes(of: path)) + scanner.finish() {
                guard case .jws(let text, _) = item else {
                    Issue.record("\(path):\(item.line) is not signed")
                    continue
                }
                let evidence = verifier.verify(bytes: text)
                results.append(evidence)
                if case .notification(.verified(let notification)) = evidence {
                    results += verifier.contents(of: notification)
                }
            }
        }
        self.results = results
    }

    /// Returns the history of the evidence.
    func history() -> PurchaseHistory {
        var history = PurchaseHistory()
        for result in results {
            switch result {
            case .transaction(let transaction): history.merge([transaction])
            case .renewalInfo(let info): history.merge(info)
            case .appTransaction, .notification, .unreadable: break
            }
        }
        return history
    }

    /// Returns the answers that follow from the evidence.
    func resolution(of story: ExampleStory) throws -> Resolution {
        EntitlementResolver(catalog: try Catalog(reading: story.catalogFiles())).resolve(history())
    }
}
