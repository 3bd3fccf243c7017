import FoundationEssentials
import Storekeeper
import StorekeeperDurable

/// The queries of a footprint, divided by kind; a footprint describes the rows that a step is expected to read.
struct SortedKeys {
    private(set) var customers: [CustomerID] = []
    private(set) var bindings: [CustomerID] = []
    private(set) var subjects: [BindingSubject] = []
    private(set) var originals: [Transaction.ID] = []
    private(set) var facts: [CustomerID] = []
    private(set) var chainFacts: [ChainID] = []
    private(set) var purchases: [RenewalInfoKey] = []
    private(set) var infos: [(purchase: RenewalInfoKey, digest: [UInt8])] = []
    private(set) var copies: [TransactionKey] = []
    private(set) var parkedDigests: [[UInt8]] = []
    private(set) var parkedHolders: [CustomerID] = []
    private(set) var parkedChains: [ChainID] = []
    private(set) var parkedInfos: [RenewalInfoKey] = []
    private(set) var parkedTokens: [UUID] = []
    private(set) var parkedSuccessors: [ChainID] = []
    private(set) var parkedClaimants: [CustomerID] = []
    private(set) var questions: [RowQuestion] = []
    /// The rows that the step uses alone, in the order in which they are locked.
    private(set) var turns: [RowQuestion] = []
    private(set) var deliveries: [TransactionKey] = []
    private(set) var unfinished: [CustomerID] = []
    private(set) var steps: [StepID] = []
    private(set) var marks: [ErasedMark] = []
    private(set) var hasVersionFloor = false

    /// Divides the keys of a footprint.
    ///
    /// Parked evidence is read together with the rows of its chains and tokens, even if none is
    /// parked. The stamps of these rows show the step when evidence is parked later.
    init(_ footprint: Footprint) {
        var subjects: Set<BindingSubject> = []
        var bindings: Set<CustomerID> = []
        for key in footprint.keys {
            switch key {
            case .customer(let customer): customers.append(customer)
            case .versionFloor: hasVersionFloor = true
            case .bindings(let customer): bindings.insert(customer)
            case .holder(let subject), .attempts(let subject): subjects.insert(subject)
            case .chains(let originalID): originals.append(originalID)
            case .token(let chain): subjects.insert(.chain(chain))
            case .facts(let customer):
                facts.append(customer)
                bindings.insert(customer)
            case .chainFacts(let chain): chainFacts.append(chain)
            case .renewalInfos(let purchase): purchases.append(purchase)
            case .renewalInfo(let purchase, let payload):
                // A payload that is not base64url cannot belong to a stored fact, so no query is needed.
                guard let content = Base64URL.decode(payload.text) else { continue }
                infos.append((purchase, Digests.sha256(content)))
            case .copies(let key): copies.append(key)
            case .parkedFact(let payload):
                guard let content = Base64URL.decode(payload.text) else { continue }
                parkedDigests.append(Digests.sha256(content))
            case .parkedClaims(let customer): parkedClaimants.append(customer)
            case .parkedFacts(let customer):
                parkedHolders.append(customer)
                bindings.insert(customer)
                guard let token = customer.uuid else { continue }
                parkedTokens.append(token)
                subjects.insert(.token(token))
            case .parkedChain(let chain):
                parkedChains.append(chain)
                subjects.insert(.chain(chain))
            case .parkedInfos(let purchase): parkedInfos.append(purchase)
            case .parkedSuccessors(let chain):
                parkedSuccessors.append(chain)
                subjects.insert(.chain(chain))
            case .parkedToken(let token):
                parkedTokens.append(token)
                subjects.insert(.token(token))
            case .rows(let question): questions.append(question)
            case .turn(let question): turns.append(question)
            case .delivery(let key): deliveries.append(key)
            case .unfinished(let customer): unfinished.append(customer)
            case .step(let step): steps.append(step)
            case .mark(let mark): marks.append(mark)
            }
        }
        self.subjects = Array(subjects)
        self.bindings = Array(bindings)
        turns.sort { $0.key < $1.key }
    }
}
