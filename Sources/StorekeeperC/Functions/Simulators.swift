// The comments of the functions are in storekeeper.h.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import CStorekeeper
import Storekeeper
import StorekeeperJWS
import StorekeeperSimulator

@c @implementation
public func sk_simulator_new(
    _ options: UnsafePointer<sk_simulator_options>?, _ simulator: UnsafeMutablePointer<OpaquePointer?>?
) -> sk_status {
    simulator?.pointee = nil
    return status { () throws(Failure) in
        let result = try Results.pointer(simulator, "simulator")
        let options = try Arguments.structure(
            options, sk_simulator_options(), smallest: MemoryLayout<sk_simulator_options>.size, "options")
        result.pointee = try handles.add(try SimulatorObject(options))
    }
}

@c @implementation
public func sk_simulator_free(_ simulator: OpaquePointer?) {
    if simulator != nil { _ = status { () throws(Failure) in try handles.free(simulator, as: SimulatorObject.self) } }
}

@c @implementation
public func sk_simulator_root(_ simulator: OpaquePointer?, _ pem: UnsafeMutablePointer<sk_text>?) -> sk_status {
    pem?.pointee = sk_text()
    return status { () throws(Failure) in
        let result = try Results.pointer(pem, "pem")
        let store = try handles.object(of: simulator, as: SimulatorObject.self).store
        try Results.give(Array(store.root.pem.utf8), to: result)
    }
}

@c @implementation
public func sk_simulator_now(_ simulator: OpaquePointer?, _ now: UnsafeMutablePointer<sk_instant>?) -> sk_status {
    now?.pointee = 0
    return status { () throws(Failure) in
        let result = try Results.pointer(now, "now")
        result.pointee = try handles.object(of: simulator, as: SimulatorObject.self).store.now.millisecondsSince1970
    }
}

@c @implementation
public func sk_simulator_advance(_ simulator: OpaquePointer?, _ to: sk_instant) -> sk_status {
    status { () throws(Failure) in
        let store = try handles.object(of: simulator, as: SimulatorObject.self).store
        guard let instant = try Arguments.instant(to) else {
            throw Failure(.invalid, "invalidValue", "'to' is SK_NOW; the simulator's time is advanced to an instant")
        }
        try failing { try store.advance(to: instant) }
    }
}

@c @implementation
public func sk_simulator_add_account(
    _ simulator: OpaquePointer?, _ id: UnsafePointer<CChar>?, _ length: Int
) -> sk_status {
    status { () throws(Failure) in
        let store = try handles.object(of: simulator, as: SimulatorObject.self).store
        let id = CustomerID(rawValue: try Arguments.id(id, length, "id"))
        try failing { try store.createAccount(id) }
    }
}

@c @implementation
public func sk_simulator_buy(
    _ simulator: OpaquePointer?, _ id: UnsafePointer<CChar>?, _ length: Int, _ product: UnsafePointer<CChar>?,
    _ product_length: Int, _ transaction: UnsafeMutablePointer<sk_text>?
) -> sk_status {
    transaction?.pointee = sk_text()
    return status { () throws(Failure) in
        let store = try handles.object(of: simulator, as: SimulatorObject.self).store
        let id = CustomerID(rawValue: try Arguments.id(id, length, "id"))
        let product = Product.ID(try Arguments.id(product, product_length, "product"))
        switch try failing({ try store.buy(product, by: id) }) {
        case .purchased(let bought): try Results.give(Array(bought.rawValue.utf8), to: transaction)
        case .failed(let error): throw Failure(.refused, error)
        case .alreadyOwned(let owned):
            throw Failure(.refused, "alreadyOwned", "'\(id)' owns '\(product)' by the transaction \(owned)")
        case .pending(let reason, _): throw Failure(.refused, reason.rawValue, "the purchase waits for an approval")
        case .userCancelled: throw Failure(.refused, "userCancelled", "the customer cancelled the purchase")
        }
    }
}

@c @implementation
public func sk_simulator_refund(
    _ simulator: OpaquePointer?, _ transaction: UnsafePointer<CChar>?, _ length: Int
) -> sk_status {
    status { () throws(Failure) in
        let store = try handles.object(of: simulator, as: SimulatorObject.self).store
        let id = Transaction.ID(rawValue: try Arguments.id(transaction, length, "transaction"))
        try failing { try store.refund(.id(id)) }
    }
}

@c @implementation
public func sk_simulator_set_auto_renew(
    _ simulator: OpaquePointer?, _ transaction: UnsafePointer<CChar>?, _ length: Int, _ is_on: Bool
) -> sk_status {
    status { () throws(Failure) in
        let store = try handles.object(of: simulator, as: SimulatorObject.self).store
        let id = Transaction.ID(rawValue: try Arguments.id(transaction, length, "transaction"))
        try failing { try store.setAutoRenew(is_on, of: .id(id)) }
    }
}

@c @implementation
public func sk_simulator_evidence(
    _ simulator: OpaquePointer?, _ id: UnsafePointer<CChar>?, _ length: Int, _ evidence: UnsafeMutablePointer<sk_text>?
) -> sk_status {
    evidence?.pointee = sk_text()
    return status { () throws(Failure) in
        let result = try Results.pointer(evidence, "evidence")
        let store = try handles.object(of: simulator, as: SimulatorObject.self).store
        let id = CustomerID(rawValue: try Arguments.id(id, length, "id"))
        let lines = try failing { try store.evidence(of: id) }
        try Results.give(Array(lines.map { $0 + "\n" }.joined().utf8), to: result)
    }
}

@c @implementation
public func sk_simulator_notifications(
    _ simulator: OpaquePointer?, _ skip: Int, _ notifications: UnsafeMutablePointer<sk_text>?
) -> sk_status {
    notifications?.pointee = sk_text()
    return status { () throws(Failure) in
        let result = try Results.pointer(notifications, "notifications")
        let store = try handles.object(of: simulator, as: SimulatorObject.self).store
        guard skip >= 0 else { throw Failure.misuse("badLength", "'skip' is impossible") }
        let lines = try failing { try store.notifications() }.dropFirst(skip).map { signed in
            JSONText.object(["signedPayload": .string(signed)]).text() + "\n"
        }
        try Results.give(Array(lines.joined().utf8), to: result)
    }
}
