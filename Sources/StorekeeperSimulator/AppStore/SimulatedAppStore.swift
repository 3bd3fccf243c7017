public import FoundationEssentials
public import Storekeeper
public import StorekeeperJWS
import Synchronization

/// A deterministic local App Store with its own clock, isolated from all other stores.
///
/// The store corresponds to Xcode's transaction manager and `SKTestSession` on a Mac. Its state changes only through
/// ``SimulatorCommand`` values; the advance of time is also a command. Equal seeds and equal commands lead to equal
/// evidence, byte for byte, except for the signatures.
///
/// The store signs with a local certificate authority whose certificates have the same form as Apple's certificates.
/// The store signs an item only when the item is read. Verifiers must trust the store's ``root``. An engine reads the
/// store through ``backend(for:conditions:device:pageSize:offerKey:)`` and cannot distinguish it from the App Store.
///
/// Every method may be called from any task. When a method returns, its changes are visible to every query and to the
/// streams of backends.
public final class SimulatedAppStore: Sendable {
    fileprivate struct State {
        var world: World
        var calls: [SimulatorCall] = []
        /// Whether a server may have received an item that was signed at the current instant.
        var isServed = false
    }

    /// The parameters with which the store was created, for ``replayed(_:)`` to create an equal store.
    private let beginning: Beginning
    /// The authority that signs the store's items.
    public let authority: LocalAuthority
    /// A clock that shows the store's time, for an engine that uses this store.
    public let clock: VirtualClock
    let issuer: Issuer
    /// Wakes up the streams of backends after a happening.
    let signal = ChangeSignal()
    private let state: Mutex<State>
    /// The signer of receipts, created when the first receipt is signed.
    private let cachedReceiptSigner = Mutex<ReceiptSigner?>(nil)

    private struct Beginning: Sendable {
        let apps: [SimulatedApp]
        let environment: AppStore.Environment
        let seed: UInt64
        let start: Instant
    }

    /// The default start of a store: 2026-01-01T00:00:00Z.
    public static let defaultStart = Instant(clamped: 1_767_225_600_000)

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - apps: The apps; at least one.
    ///   - environment: The environment of the store's evidence. In ``/StorekeeperEngine/AppStore/Environment/xcode``,
    ///     transaction ids count from 0; in the other environments, they count from 2000000000000001.
    ///   - seed: The seed of random decisions, nonces and notification ids.
    ///   - start: The initial time of the store's clock.
    ///   - authority: The authority that signs the store's items; `nil` creates an authority.
    /// - Throws: Errors of the cryptographic library if it cannot create certificates.
    public init(
        apps: [SimulatedApp], environment: AppStore.Environment = .sandbox, seed: UInt64 = 0,
        start: Instant = SimulatedAppStore.defaultStart, authority: LocalAuthority? = nil
    ) throws {
        let authority = try authority ?? LocalAuthority(name: "Simulated App Store")
        self.authority = authority
        beginning = Beginning(apps: apps, environment: environment, seed: seed, start: start)
        issuer = Issuer(authority: authority, seed: seed)
        clock = VirtualClock(start)
        state = Mutex(State(world: World(apps: apps, environment: environment, seed: seed, start: start)))
    }

    /// Creates a copy of a store.
    ///
    /// A later change of either store does not affect the other store.
    private init(copying other: SimulatedAppStore) {
        (beginning, authority, issuer) = (other.beginning, other.authority, other.issuer)
        var state = other.state.withLock { $0 }
        state.isServed = false
        clock = VirtualClock(state.world.now)
        self.state = Mutex(state)
    }

    /// Returns a copy of the store with the same authority.
    ///
    /// Later changes of the store and of the copy are independent.
    ///
    /// Copying takes constant time. A later change copies only the table segments that it modifies.
    package func copy() -> SimulatedAppStore { SimulatedAppStore(copying: self) }

    /// The root certificate, for verifiers to trust.
    public var root: TrustedRoot { authority.root }

    /// Returns a verifier that trusts only this store, and detects the simulated
    /// ``SimulatedFailure/revokedCertificate``.
    package func verifier(bundleID: String, environments: Set<AppStore.Environment>) -> JWSVerifier {
        JWSVerifier(
            JWSVerifier.Configuration(
                roots: [root] + RevokedCertificates.roots, bundleID: bundleID, environments: environments,
                revocation: RevokedCertificates()))
    }

    /// The current time.
    public var now: Instant { read { $0.now } }

    /// Returns the signer of receipts, and creates it on the first call.
    func receiptSigner() throws -> ReceiptSigner {
        try cachedReceiptSigner.withLock { signer in
            let made = try signer ?? authority.makeReceiptSigner()
            signer = made
            return made
        }
    }

    // MARK: Commands

    /// Performs a command.
    ///
    /// - Parameters:
    ///   - command: The command.
    ///   - app: The bundle id of the app to which the command applies; `nil` for the first app.
    /// - Returns: The outcome of a command such as a purchase or a change of plan; `nil` for a command without an
    ///   outcome.
    /// - Throws: ``SimulatorError`` if the command cannot be performed. Nothing has changed in this case.
    @discardableResult
    public func perform(_ command: SimulatorCommand, app: String? = nil) throws(SimulatorError) -> PurchaseOutcome? {
        try perform(SimulatorCall(command, app: app))
    }

    /// Performs a call, such as one of ``calls``.
    @discardableResult
    public func perform(_ call: SimulatorCall) throws(SimulatorError) -> PurchaseOutcome? {
        let result = state.withLock { state -> Result<(PurchaseOutcome?, Instant), SimulatorError> in
            do throws(SimulatorError) {
                if state.isServed { try state.advancePastServedInstant(before: call) }
                let outcome = try state.world.perform(call)
                state.world.removeVoidEvents()
                state.calls.append(call)
                return .success((outcome, state.world.now))
            } catch {
                return .failure(error)
            }
        }
        let (outcome, now) = try result.get()
        signal.send()
        if clock.now < now { clock.set(now) }
        return outcome
    }

    /// All performed commands, in order.
    public var calls: [SimulatorCall] { state.withLock { $0.calls } }

    /// The number of performed commands.
    package var callCount: Int { state.withLock { $0.calls.count } }

    /// Returns the performed commands, skipping the first `count`.
    package func calls(after count: Int) -> [SimulatorCall] {
        state.withLock { Array($0.calls.dropFirst(max(0, count))) }
    }

    /// Returns a new store with the same parameters and authority, in which some of this store's commands were
    /// performed.
    ///
    /// - Parameter count: The number of ``calls`` to perform; `nil` for all calls.
    /// - Throws: ``SimulatorError`` if a command fails in the new store, which cannot happen because the command
    ///   succeeded in this store.
    public func replayed(_ count: Int? = nil) throws -> SimulatedAppStore {
        let store = try SimulatedAppStore(
            apps: beginning.apps, environment: beginning.environment, seed: beginning.seed, start: beginning.start,
            authority: authority)
        for call in calls.prefix(count ?? .max) { try store.perform(call) }
        return store
    }

    // MARK: Queries

    /// Reads the world (the state of the store) under the lock; the result must not refer to the world.
    func read<Value: Sendable>(_ body: (borrowing World) throws -> Value) rethrows -> Value {
        try state.withLock { try body($0.world) }
    }

    /// Reads the world (the state of the store) for a server, which receives items signed at the current instant.
    ///
    /// Items of later changes are signed at least a millisecond later.
    func serve<Value: Sendable>(_ body: (borrowing World) throws -> Value) rethrows -> Value {
        try state.withLock { state in
            state.isServed = true
            return try body(state.world)
        }
    }

    /// Reads the world under the lock, and throws only `SimulatorError`.
    func result<Value: Sendable>(
        _ body: (borrowing World) throws(SimulatorError) -> Value
    ) throws(SimulatorError) -> Value {
        try read { world -> Result<Value, SimulatorError> in
            do throws(SimulatorError) {
                return .success(try body(world))
            } catch {
                return .failure(error)
            }
        }.get()
    }

    /// Returns the happenings, in order.
    ///
    /// - Parameter count: The number of happenings to skip, such as the number of happenings that were already read.
    public func happenings(after count: Int = 0) -> [Happening] {
        read { world in world.journal.indices(after: count).map { world.happening($0) } }
    }

    /// Returns the happening with an id.
    package func happening(_ id: Happening.ID) -> Happening? {
        read { world in world.journal.place(at: id).map { world.happening($0) } }
    }

    /// Returns the test notifications that were requested at an instant.
    package func tests(at instant: Instant) -> [Happening] {
        read { world in
            world.journal.indices.filter { world.journal[$0].kind == .testRequested && world.journal[$0].at == instant }
                .map { world.happening($0) }
        }
    }

    /// Returns the notification id of a happening; `nil` if the happening does not exist.
    ///
    /// The id exists even if the App Store sends no notification about the happening.
    package func notificationID(of id: Happening.ID) -> UUID? {
        read { world in world.journal.place(at: id).map { issuer.notificationID($0) } }
    }

    /// Returns the number of happenings of a kind.
    package func count(of kind: HappeningKind) -> Int { read { world in world.journal.count { $0.kind == kind } } }

    /// The number of happenings.
    public var happeningCount: Int { read { $0.journal.count } }

    /// The names of the accounts, in order of creation.
    public var accounts: [CustomerID] { read { $0.accounts.map(\.name) } }

    /// Returns the settings of an app.
    ///
    /// - Throws: ``SimulatorError`` if the app does not exist.
    public func settings(of app: String? = nil) throws(SimulatorError) -> AppSettings {
        try self.app(app).settings
    }

    /// Returns the catalog of an app.
    ///
    /// - Throws: ``SimulatorError`` if the app does not exist.
    public func catalog(of app: String? = nil) throws(SimulatorError) -> Catalog {
        try self.app(app).catalog
    }

    private func app(_ bundleID: String?) throws(SimulatorError) -> App {
        try result { world throws(SimulatorError) in world.apps[try world.app(bundleID)] }
    }

    // MARK: Signed items

    /// Returns the notification about a happening, as compact JWS; `nil` if the App Store sends no notification about
    /// it.
    ///
    /// - Parameter id: The id of the happening.
    /// - Throws: Errors of the cryptographic library.
    public func notification(of id: Happening.ID) throws -> String? {
        try read { world in
            guard let entry = world.journal.place(at: id) else { return nil }
            return try issuer.notification(entry, in: world)
        }
    }

    /// Returns the evidence of a customer: the newest copy of each transaction and renewal info, as compact JWS.
    ///
    /// - Throws: ``SimulatorError`` if the account or app does not exist; errors of the cryptographic library.
    public func evidence(of customer: CustomerID, app: String? = nil) throws -> [String] {
        try read { world in
            guard let download = world.existingDownload(of: try world.account(customer), app: try world.app(app)) else {
                return []
            }
            let transactions = try world.history(of: download).map { try issuer.transaction($0, in: world, for: nil) }
            let renewals = world.downloads[download].subscriptions.compactMap { world.subscriptions[$0].renewalRecord }
            return transactions + (try renewals.map { try issuer.renewalInfo($0, in: world, for: nil) })
        }
    }

    /// Returns the app transaction of a customer, as compact JWS.
    ///
    /// - Parameters:
    ///   - customer: The customer.
    ///   - app: The bundle id of the app; `nil` for the first app.
    ///   - device: The device verification id of the requesting device; `nil` for a server.
    /// - Throws: ``SimulatorError`` if the account or app does not exist; `PurchaseError` if a simulated failure is
    ///   set.
    public func appTransaction(of customer: CustomerID, app: String? = nil, device: UUID? = nil) throws -> String {
        try state.withLock { state in
            let (account, app) = (try state.world.account(customer), try state.world.app(app))
            if let failure = state.world.apps[app].settings.simulatedErrors[.appTransaction] {
                throw failure.purchaseError
            }
            let download = state.world.download(of: account, app: app)
            return try issuer.appTransaction(download, in: state.world, for: device)
        }
    }
}

extension SimulatedAppStore.State {
    /// Advances time by a millisecond before a command, if a server has already read items at the current instant.
    ///
    /// Without this advance, two different states of an item could be signed with the same date, and a client could not
    /// tell which state is newer.
    fileprivate mutating func advancePastServedInstant(before call: SimulatorCall) throws(SimulatorError) {
        if case .advance(let instant) = call.command {
            isServed = instant <= world.now
            return
        }
        let tick = SimulatorCall(.advance(to: world.now.adding(milliseconds: 1)), app: call.app)
        _ = try world.perform(tick)
        calls.append(tick)
        isServed = false
    }
}
