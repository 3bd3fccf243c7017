import CStorekeeper
import Storekeeper

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The bytes of a text argument, valid during the call.
typealias Bytes = UnsafeBufferPointer<UInt8>

/// Reads the arguments of the header's functions.
enum Arguments {
    /// The length above which a length is a mistake.
    private static let maximumLength = 1 << 30

    /// Returns the bytes of a text that is given with its length, or with `SK_NTS`.
    @inline(__always)
    static func bytes(
        _ text: UnsafePointer<CChar>?, _ length: Int, _ name: StaticString
    ) throws(Failure) -> Bytes {
        guard let text else {
            if length == 0 { return Bytes(start: nil, count: 0) }
            throw Failure.null("\(name)")
        }
        let count = length == -1 ? strlen(text) : length
        // A `size_t` above the half of the address space is a negative number here.
        guard 0...maximumLength ~= count else {
            throw Failure.misuse("badLength", "the length of '\(name)' is above 1 GiB; give its length in bytes")
        }
        return Bytes(start: UnsafeRawPointer(text).assumingMemoryBound(to: UInt8.self), count: count)
    }

    /// Returns a text that must be UTF-8.
    static func text(_ bytes: Bytes, _ name: StaticString) throws(Failure) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure.misuse("notUTF8", "'\(name)' is not valid UTF-8")
        }
        return text
    }

    /// Returns a text that is given with its length, or with `SK_NTS`.
    static func text(
        _ text: UnsafePointer<CChar>?, _ length: Int, _ name: StaticString
    ) throws(Failure) -> String {
        try self.text(try bytes(text, length, name), name)
    }

    /// Returns a text that a zero byte ends; `nil` for `NULL`.
    static func optionalText(_ text: UnsafePointer<CChar>?, _ name: StaticString) throws(Failure) -> String? {
        guard let text else { return nil }
        return try self.text(text, -1, name)
    }

    /// Returns an id, which must not be empty.
    ///
    /// A zero byte would end the id in a backend of callbacks, which would read the history of another customer. Some
    /// vaults cannot store it.
    static func id(
        _ text: UnsafePointer<CChar>?, _ length: Int, _ name: StaticString
    ) throws(Failure) -> String {
        let id = try self.text(text, length, name)
        guard !id.isEmpty else { throw Failure(.invalid, "invalidRequest", "'\(name)' is empty") }
        guard !id.utf8.contains(0) else { throw Failure(.invalid, "zeroByte", "'\(name)' has a zero byte inside") }
        return id
    }

    /// Returns an instant; `nil` for `SK_NOW`.
    @inline(__always)
    static func instant(_ at: Int64) throws(Failure) -> Instant? {
        if at == .min { return nil }
        guard let instant = Instant(millisecondsSince1970: at) else {
            throw Failure(
                .invalid, "invalidRequest", "an instant is in milliseconds since 1970, or SK_NOW; \(at) is too far away"
            )
        }
        return instant
    }

    /// Copies a struct of the caller.
    ///
    /// - Parameter smallest: The size of the struct in the first release that had it.
    /// - Throws: If the pointer is null, if the size is smaller than any release's, or if the struct has members that this
    ///   release does not know and that are not zero.
    static func structure<Value: BitwiseCopyable>(
        _ pointer: UnsafePointer<Value>?, _ zero: Value, smallest: Int, _ name: StaticString
    ) throws(Failure) -> Value {
        guard let pointer else { throw Failure.null("\(name)") }
        let raw = UnsafeRawPointer(pointer)
        let size = raw.load(as: Int.self)
        let known = MemoryLayout<Value>.size
        // A struct of this library has a few hundred bytes; a greater size is not that of a struct.
        guard size >= smallest, size <= 65_536 else {
            throw Failure.misuse("badSize", "the size of '\(name)' is \(size); set it to sizeof the struct")
        }
        if size > known {
            for offset in known..<size where raw.load(fromByteOffset: offset, as: UInt8.self) != 0 {
                throw Failure.misuse(
                    "badSize",
                    "'\(name)' has members that are newer than this library, release "
                        + "\(String(cString: sk_version()))")
            }
        }
        var value = zero
        withUnsafeMutableBytes(of: &value) { bytes in
            bytes.copyMemory(from: UnsafeRawBufferPointer(start: raw, count: min(size, known)))
        }
        return value
    }
}

/// Writes the results of the header's functions.
enum Results {
    /// Returns a pointer for a result, which must not be null.
    @inline(__always)
    static func pointer<Value>(
        _ pointer: UnsafeMutablePointer<Value>?, _ name: StaticString
    ) throws(Failure) -> UnsafeMutablePointer<Value> {
        guard let pointer else { throw Failure.null("\(name)") }
        return pointer
    }

    /// Gives a text to the caller, who frees it; does nothing if the caller does not want it.
    static func give(_ text: [UInt8], to result: UnsafeMutablePointer<sk_text>?) throws(Failure) {
        guard let result else { return }
        result.pointee = try copy(text)
    }

    /// Returns a copy of a text, with a zero byte behind it, that C frees.
    static func copy(_ text: [UInt8]) throws(Failure) -> sk_text {
        guard let memory = malloc(text.count + 1) else {
            throw Failure(.internalError, "noMemory", "the system has no memory for a text")
        }
        text.withUnsafeBytes { if let start = $0.baseAddress { memory.copyMemory(from: start, byteCount: $0.count) } }
        memory.storeBytes(of: 0, toByteOffset: text.count, as: UInt8.self)
        return sk_text(bytes: memory.assumingMemoryBound(to: CChar.self), length: text.count)
    }

    /// Checks the size that the caller has set in a struct for a result, and sets all its other members to zero.
    static func prepare<Value: BitwiseCopyable>(
        _ pointer: UnsafeMutablePointer<Value>?, smallest: Int, _ name: StaticString
    ) throws(Failure) -> UnsafeMutablePointer<Value> {
        guard let pointer else { throw Failure.null("\(name)") }
        let raw = UnsafeMutableRawPointer(pointer)
        let size = raw.load(as: Int.self)
        guard size >= smallest, size <= 65_536 else {
            throw Failure.misuse("badSize", "the size of '\(name)' is \(size); set it to sizeof the struct")
        }
        let header = MemoryLayout<Int>.size
        (raw + header).initializeMemory(as: UInt8.self, repeating: 0, count: size - header)
        return pointer
    }

    /// Writes a struct, as far as the caller's release has its members; its size stays that of the caller.
    static func give<Value: BitwiseCopyable>(_ value: Value, to pointer: UnsafeMutablePointer<Value>) {
        let raw = UnsafeMutableRawPointer(pointer)
        let header = MemoryLayout<Int>.size
        let count = min(raw.load(as: Int.self), MemoryLayout<Value>.size) - header
        withUnsafeBytes(of: value) { bytes in
            if let start = bytes.baseAddress, count > 0 {
                (raw + header).copyMemory(from: start + header, byteCount: count)
            }
        }
    }
}
