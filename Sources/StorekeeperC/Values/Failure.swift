import CStorekeeper
import Storekeeper
import StorekeeperAppStore
import StorekeeperJWS
import StorekeeperSimulator

/// The failure of a call: its status, and the code and the message for the calling thread.
struct Failure: Error {
    /// The statuses of `storekeeper.h`.
    enum Status: CInt {
        case misuse = 1
        case invalid, unknown, refused, unverified, empty, busy, io, doubt, corrupt, closed, timeout, cancelled, forked
        case internalError
    }

    let status: Status
    let code: String
    let message: String

    init(_ status: Status, _ code: String, _ message: String) {
        (self.status, self.code, self.message) = (status, code, message)
    }

    init<Code>(_ status: Status, _ error: CodedError<Code>) {
        self.init(status, error.code.rawValue, error.message)
    }

    /// The failure as the JSON of an item of a queue.
    var json: JSONText { .object(["code": .string(code), "message": .string(message)]) }

    /// Makes this the last failure of the thread, and returns its status.
    func report() -> CInt {
        var (code, message) = (code, message)
        code.withUTF8 { code in
            message.withUTF8 { message in
                code.withMemoryRebound(to: CChar.self) { code in
                    message.withMemoryRebound(to: CChar.self) { message in
                        var nothing: CChar = 0
                        withUnsafePointer(to: &nothing) { empty in
                            skc_set_error(
                                code.baseAddress ?? empty, code.count, message.baseAddress ?? empty, message.count)
                        }
                    }
                }
            }
        }
        return status.rawValue
    }
}

extension Failure {
    static func misuse(_ code: String, _ message: String) -> Failure { Failure(.misuse, code, message) }

    /// An argument is null that must not be.
    static func null(_ name: String) -> Failure { misuse("null", "'\(name)' is NULL") }

    /// The process was forked after the library was used.
    static let forked = Failure(
        .forked, "forked", "a child process cannot use what its parent opened; use the library after exec()")
    /// The pool was closed.
    static let closed = Failure(.closed, "closed", "the pool was closed; open it again")
    /// The queue has no item.
    static let empty = Failure(.empty, "empty", "the queue has no item")

    /// Creates the failure for an error of the Swift library.
    init(_ error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case let error as VaultError: self.init(Self.status(of: error.code), error)
        case let error as VerificationError: self.init(.unverified, error)
        case let error as TrustedRootError: self.init(.invalid, error.code.rawValue, error.message)
        case let error as CatalogError: self.init(.invalid, error.code.rawValue, "\(error)")
        case let error as LedgerRefusal: self.init(error)
        case let error as AppStoreServerError:
            self.init(Self.status(of: error.code), error.code.rawValue, error.message)
        case let error as StoreError: self.init(error.code == .deadlineExceeded ? .timeout : .io, error)
        case let error as SimulatorError: self.init(Self.status(of: error.code), error)
        case let error as PurchaseError: self.init(.refused, error.code.rawValue, error.message)
        case is CancellationError: self.init(.cancelled, "cancelled", "the pool was closed while the call waited")
        default: self.init(.io, "failed", "\(error)")
        }
    }

    private init(_ refusal: LedgerRefusal) {
        switch refusal {
        case .insufficient: self.init(.refused, "insufficient", "\(refusal)")
        case .frozen: self.init(.refused, "frozen", "\(refusal)")
        case .keyReused: self.init(.refused, "keyReused", "\(refusal)")
        case .unknownGrant: self.init(.unknown, "unknownGrant", "\(refusal)")
        }
    }

    private static func status(of code: VaultErrorCode) -> Status {
        switch code {
        case .exists, .notAVault, .schemaTooNew, .schemaTooOld, .overflow, .consumable, .invalidRequest, .feedReplaced:
            .invalid
        case .unknownCustomer, .unknownBalance, .unknownProduct, .unknownFeature: .unknown
        case .locked: .busy
        case .inDoubt: .doubt
        case .corrupt: .corrupt
        case .closed: .closed
        default: .io
        }
    }

    private static func status(of code: AppStoreServerError.Code) -> Status {
        switch code {
        case .invalidKey, .invalidHost, .invalidRequest, .noHost: .invalid
        case .unverifiedResponse: .unverified
        case .deadlineExceeded: .timeout
        default: .io
        }
    }

    private static func status(of code: SimulatorErrorCode) -> Status {
        switch code {
        case .noAccountFound, .noAppFound, .noSubscriptionFound, .noTransactionFound, .invalidProductIdentifier:
            .unknown
        default: .invalid
        }
    }
}

/// Runs the body of a function of the header, and returns its status.
@inline(__always)
func status(_ body: () throws(Failure) -> Void) -> CInt {
    do throws(Failure) {
        try body()
        return 0
    } catch {
        return error.report()
    }
}

/// Runs work of the Swift library, and throws its errors as failures.
func failing<Value>(_ work: () throws -> Value) throws(Failure) -> Value {
    do {
        return try work()
    } catch {
        throw Failure(error)
    }
}
