// The comments of the functions are in storekeeper.h.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import CStorekeeper
import Storekeeper
import StorekeeperJWS

@c @implementation
public func sk_verifier_new(
    _ options: UnsafePointer<sk_verifier_options>?, _ verifier: UnsafeMutablePointer<OpaquePointer?>?
) -> sk_status {
    verifier?.pointee = nil
    return status { () throws(Failure) in
        let result = try Results.pointer(verifier, "verifier")
        let options = try Arguments.structure(
            options, sk_verifier_options(), smallest: MemoryLayout<sk_verifier_options>.size, "options")
        result.pointee = try handles.add(try VerifierObject(options))
    }
}

@c @implementation
public func sk_verifier_free(_ verifier: OpaquePointer?) {
    if verifier != nil { _ = status { () throws(Failure) in try handles.free(verifier, as: VerifierObject.self) } }
}

@c @implementation
public func sk_verify(
    _ verifier: OpaquePointer?, _ jws: UnsafePointer<CChar>?, _ length: Int, _ payload: UnsafeMutablePointer<sk_text>?
) -> sk_status {
    payload?.pointee = sk_text()
    return status { () throws(Failure) in
        let object = try handles.object(of: verifier, as: VerifierObject.self)
        guard let jws = CompactJWS(try Arguments.bytes(jws, length, "jws")) else {
            throw Failure(.unverified, "malformed", "the text is not three segments joined by dots (a compact JWS)")
        }
        if let error = object.verifier.verify(jws).error { throw Failure(.unverified, error) }
        try Results.give(Base64URL.decode(jws.payload) ?? [], to: payload)
    }
}
