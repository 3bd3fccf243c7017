public import FoundationEssentials
public import Storekeeper
public import StorekeeperJWS
import Synchronization

/// An App Store in a box: deterministic, under a clock of its own, isolated from every other.
///
/// It does what Xcode's transaction manager and `SKTestSession` do on a Mac. Nothing happens in it but by a
/// ``SimulatorCommand``; letting time pass is one. Equal seeds and equal commands give equal stories, byte for byte,
/// but for the signatures.
///
/// It signs with a local authority of Apple's shape, and only what somebody reads; whoever is to believe it trusts
/// its ``root``. An engine reads it through ``backend(for:conditions:device:pageSize:)`` and cannot tell it from the App
/// Store.
///
/// Every method may be called from any task. When one returns, every question answers by what it has changed, and
/// the streams of backends have it.
public final class SimulatedAppStore: Sendable {
    fileprivate struct State {
        var world: World
        var calls: [SimulatorCall] = []
        /// Whether a server was told something that was signed at this very instant.
        var isServed = false
    }

    /// What the store was made of, so that it can be made again.
    private let beginning: Beginning
    /// The authority that signs for it.
    public let authority: LocalAuthority
    /// A clock that shows the store's time, for an engine that is to live in it.
    public let clock: VirtualClock
    let issuer: Issuer
    /// Wakes the streams of backends when something has happened.
    let signal = ChangeSignal()
    private let state: Mutex<State>

    private struct Beginning: Sendable {
        let apps: [SimulatedApp]
        let environment: AppStore.Environment
        let seed: UInt64
        let start: Instant
    }

    /// When a store begins unless said otherwise: 2026-01-01T00:00:00Z.
    public static let defaultStart = Instant(clamped: 1_767_225_600_000)

    /// Makes a store.
    ///
    /// - Parameters:
    ///   - apps: What it sells; at least one.
    ///   - environment: What its evidence says of itself. In ``/StorekeeperEngine/AppStore/Environment/xcode`` transaction
    ///     ids count from 0, elsewhere from 2000000000000001.
    ///   - seed: What its chances, nonces and notification ids are drawn from.
    ///   - start: What its clock shows first.
    ///   - authority: What signs for it; `nil`: one of its own.
    /// - Throws: What the cryptographic library throws where it cannot make certificates.
    public init(
        apps: [SimulatedApp], environment: AppStore.Environment = .sandbox, seed: UInt64 = 0,
        start: Instant = SimulatedAppStore.defaultStart, authority: LocalAuthority? = nil
    ) throws {
        let authority = try authority ?? LocalAuthority(name: "Simulated App Store")
        self.authority = authority
        beginning = Beginning(apps: apps, environment: environment, seed: seed, start: start)
        issuer = try Issuer(authority: authority, seed: seed)
        clock = VirtualClock(start)
        state = Mutex(State(world: World(apps: apps, environment: environment, seed: seed, start: start)))
    }

    /// The root certificate, to be trusted by verifiers.
    public var root: TrustedRoot { authority.root }

    /// The instant it is.
    public var now: Instant { read { $0.now } }

    // MARK: What happens

    /// Carries out a command.
    ///
    /// - Parameters:
    ///   - command: What happens.
    ///   - app: The bundle id of the app that it is about; `nil`: the first.
    /// - Returns: The result, where it was a purchase or a change of plan.
    /// - Throws: ``SimulatorError`` where it cannot be done; nothing has changed then.
    @discardableResult
    public func perform(_ command: SimulatorCommand, app: String? = nil) throws(SimulatorError) -> PurchaseOutcome? {
        try perform(SimulatorCall(command, app: app))
    }

    /// Carries out a call, such as one of ``calls``.
    @discardableResult
    public func perform(_ call: SimulatorCall) throws(SimulatorError) -> PurchaseOutcome? {
        let result = state.withLock { state -> Result<(PurchaseOutcome?, Instant), SimulatorError> in
            do throws(SimulatorError) {
                if state.isServed { try state.leaveServedInstant(before: call) }
                let outcome = try state.world.perform(call)
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

    /// All commands that were carried out, in their order.
    public var calls: [SimulatorCall] { state.withLock { $0.calls } }

    /// A store of the same beginning after some of this one's commands, signed by the same authority.
    ///
    /// - Parameter count: How many of ``calls`` it carries out; `nil`: all.
    /// - Throws: ``SimulatorError`` where a command that could be done can no longer be done, which does not happen.
    public func replayed(_ count: Int? = nil) throws -> SimulatedAppStore {
        let store = try SimulatedAppStore(
            apps: beginning.apps, environment: beginning.environment, seed: beginning.seed, start: beginning.start,
            authority: authority)
        for call in calls.prefix(count ?? .max) { try store.perform(call) }
        return store
    }

    // MARK: What can be seen

    /// Reads the world under the lock; what is returned must be a value.
    func read<Value: Sendable>(_ body: (borrowing World) throws -> Value) rethrows -> Value {
        try state.withLock { try body($0.world) }
    }

    /// Reads what a server is told, signed at this instant: whatever happens next is signed later.
    func serve<Value: Sendable>(_ body: (borrowing World) throws -> Value) rethrows -> Value {
        try state.withLock { state in
            state.isServed = true
            return try body(state.world)
        }
    }

    /// Reads the world under the lock, with the simulator's own errors.
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

    /// What has happened, in order.
    ///
    /// - Parameter count: How much of it to pass over, such as the number that was read before.
    public func happenings(after count: Int = 0) -> [Happening] {
        read { world in world.journal.indices(after: count).map { world.happening($0) } }
    }

    /// What has happened under an id.
    package func happening(_ id: Happening.ID) -> Happening? {
        read { world in world.journal.place(at: id).map { world.happening($0) } }
    }

    /// The test notifications that were asked for at an instant.
    package func tests(at instant: Instant) -> [Happening] {
        read { world in
            world.journal.indices.filter { world.journal[$0].kind == .testRequested && world.journal[$0].at == instant }
                .map { world.happening($0) }
        }
    }

    /// The id of the notification that something has caused, or would cause.
    package func notificationID(of id: Happening.ID) -> UUID? {
        read { world in world.journal.place(at: id).map { issuer.notificationID($0) } }
    }

    /// How much has happened.
    public var happeningCount: Int { read { $0.journal.count } }

    /// The names of the accounts, in the order in which they were made.
    public var accounts: [CustomerID] { accounts(after: 0) }

    /// The names of the accounts behind the first so many.
    package func accounts(after count: Int) -> [CustomerID] {
        read { world in world.accounts.indices(after: count).map { world.accounts[$0].name } }
    }

    /// The settings of an app.
    ///
    /// - Throws: ``SimulatorError`` where there is no such app.
    public func settings(of app: String? = nil) throws(SimulatorError) -> AppSettings {
        try self.app(app).settings
    }

    /// The catalog of an app.
    ///
    /// - Throws: ``SimulatorError`` where there is no such app.
    public func catalog(of app: String? = nil) throws(SimulatorError) -> Catalog {
        try self.app(app).catalog
    }

    private func app(_ bundleID: String?) throws(SimulatorError) -> App {
        try result { world throws(SimulatorError) in world.apps[try world.app(bundleID)] }
    }

    // MARK: What is signed

    /// The notification that something has caused, as compact JWS; `nil` where it has caused none.
    ///
    /// - Parameter id: The id of the happening.
    /// - Throws: What the cryptographic library throws.
    public func notification(of id: Happening.ID) throws -> String? {
        try read { world in
            guard let entry = world.journal.place(at: id) else { return nil }
            return try issuer.notification(entry, in: world)
        }
    }

    /// All that is signed of a customer: the newest copy of each transaction and renewal info, as compact JWS.
    ///
    /// - Throws: ``SimulatorError`` where there is no such account or app; what the cryptographic library throws.
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

    /// The app transaction of a customer, as compact JWS.
    ///
    /// - Parameters:
    ///   - customer: Whose.
    ///   - app: The bundle id of the app; `nil`: the first.
    ///   - device: The device verification id of the device that asks; `nil`: a server.
    /// - Throws: ``SimulatorError`` where there is no such account or app; `PurchaseError` where it is made to fail.
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
    /// Lets a millisecond pass before something else happens at an instant of which a server was told: of two signed
    /// states of one thing the later has the later date.
    fileprivate mutating func leaveServedInstant(before call: SimulatorCall) throws(SimulatorError) {
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
