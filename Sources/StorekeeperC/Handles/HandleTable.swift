import CStorekeeper
import Synchronization

/// An object that callers know by a handle.
protocol HandleObject: AnyObject, Sendable {
    /// The kind of the object's handles.
    static var kind: HandleKind { get }

    /// Called once, after the handle was freed and the last call that used it has ended.
    func handleWasFreed()
}

extension HandleObject {
    func handleWasFreed() {}
}

/// The kinds of handles; a handle of one kind is not accepted for another.
enum HandleKind: UInt8 {
    case verifier = 1
    case pool, customer, snapshot, queue, simulator, reply
}

/// The live handles of this copy of the library.
///
/// A handle contains the address of a slot and the number of times that the slot was used before, its generation. The
/// table compares the address with its own slots before it reads anything there. A freed handle, a handle of another copy
/// of the library and any other value are therefore found out, and never give another object. A slot whose generations
/// are used up is not used again.
///
/// A call pins the slot of its handle, so that the object exists until the call ends. Pinning is two atomic additions and
/// never waits, even if another thread creates or frees handles.
///
/// All of a slot's state is one word, with these parts from the highest bit on: the generation; `isLive`, whether the
/// slot has an object; `isClosed`, whether the handle was freed; and the number of calls that pin the slot. The call whose
/// end leaves a closed slot without pins removes the object. It clears `isLive` by comparing the whole word, so that only
/// one call succeeds, and no later use of the slot is affected.
struct HandleTable: ~Copyable, Sendable {
    /// A place for an object, of the size of a cache line, so that calls with different handles do not slow each other.
    private struct Slot: ~Copyable {
        let word = Atomic<UInt64>(Self.isClosed)
        let object = Atomic<UInt>(0)
        let kind = Atomic<UInt8>(0)

        static let size = 64
        static let pins: UInt64 = 1 << 40 - 1
        static let isClosed: UInt64 = 1 << 40
        static let isLive: UInt64 = 1 << 41
        static let generationShift: UInt64 = 42
        /// The greatest generation, which fits in a handle with the address of a slot.
        static let lastGeneration: UInt64 = 1 << 22 - 1
        static let addressLimit: UInt = 1 << 47
    }

    /// The part of the table with slots that were allocated together: each is twice as large as the one before.
    private static let maximumBlocks = 16
    private static let firstBlock = 1024

    /// The addresses of the blocks, 0 for a block that was not allocated yet.
    // The pointer is never changed and its memory never freed; its elements are atomic.
    private nonisolated(unsafe) let blocks: UnsafeMutablePointer<Atomic<UInt>>
    private let blockCount = Atomic<Int>(0)
    private let state = Mutex(State())

    private struct State {
        /// The addresses of the unused slots.
        var unused: [UInt] = []
    }

    init() {
        blocks = .allocate(capacity: Self.maximumBlocks)
        for index in 0..<Self.maximumBlocks { (blocks + index).initialize(to: Atomic(0)) }
    }

    // MARK: Slots

    /// Returns the slot of a handle and the generation in it; `nil` if this table has no such slot.
    @inline(__always)
    private func slot(of handle: OpaquePointer?) -> (slot: UnsafeMutablePointer<Slot>, generation: UInt64)? {
        let bits = UInt(bitPattern: handle)
        let (generation, address) = (UInt64(bits >> 41), (bits & (1 << 41 - 1)) << 6)
        guard generation <= Slot.lastGeneration else { return nil }
        for index in 0..<blockCount.load(ordering: .acquiring) {
            let base = blocks[index].load(ordering: .relaxed)
            if address &- base < UInt((Self.firstBlock << index) * Slot.size) {
                guard let slot = UnsafeMutablePointer<Slot>(bitPattern: address) else { return nil }
                return (slot, generation)
            }
        }
        return nil
    }

    /// Keeps a slot's object alive until ``unpin(_:)``; `false` if the slot has no object of this generation.
    @inline(__always)
    private func pin(_ slot: UnsafeMutablePointer<Slot>, _ generation: UInt64) -> Bool {
        let before = slot.pointee.word.wrappingAdd(1, ordering: .acquiring).oldValue
        if before & ~Slot.pins == generation << Slot.generationShift | Slot.isLive { return true }
        unpin(slot)
        return false
    }

    @inline(__always)
    private func unpin(_ slot: UnsafeMutablePointer<Slot>) {
        let after = slot.pointee.word.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue
        if after & (Slot.isLive | Slot.isClosed | Slot.pins) == Slot.isLive | Slot.isClosed { empty(slot, after) }
    }

    /// Removes the object of a closed slot that no call uses, unless another call does.
    private func empty(_ slot: UnsafeMutablePointer<Slot>, _ word: UInt64) {
        guard
            slot.pointee.word.compareExchange(
                expected: word, desired: word & ~Slot.isLive, ordering: .acquiringAndReleasing
            ).exchanged
        else { return }
        let bits = slot.pointee.object.exchange(0, ordering: .acquiringAndReleasing)
        if word >> Slot.generationShift < Slot.lastGeneration {
            state.withLock { $0.unused.append(UInt(bitPattern: slot)) }
        }
        guard let reference = UnsafeRawPointer(bitPattern: bits) else { return }
        let object = Unmanaged<AnyObject>.fromOpaque(reference).takeRetainedValue()
        (object as? any HandleObject)?.handleWasFreed()
    }

    /// Returns an unused slot; `nil` if the system has no memory.
    private func takeSlot() -> UnsafeMutablePointer<Slot>? {
        state.withLock { state in
            if state.unused.isEmpty {
                let index = blockCount.load(ordering: .relaxed)
                guard index < Self.maximumBlocks else { return nil }
                let count = Self.firstBlock << index
                let memory = UnsafeMutableRawPointer.allocate(byteCount: count * Slot.size, alignment: Slot.size)
                guard UInt(bitPattern: memory) < Slot.addressLimit - UInt(count * Slot.size) else {
                    memory.deallocate()
                    return nil
                }
                for place in 0..<count {
                    let slot = (memory + place * Slot.size).initializeMemory(as: Slot.self, to: Slot())
                    state.unused.append(UInt(bitPattern: slot))
                }
                blocks[index].store(UInt(bitPattern: memory), ordering: .relaxed)
                blockCount.store(index + 1, ordering: .releasing)
            }
            return state.unused.popLast().flatMap { UnsafeMutablePointer<Slot>(bitPattern: $0) }
        }
    }

    // MARK: Handles

    /// Creates a handle for an object, which the table keeps until the handle is freed.
    func add<Object: HandleObject>(_ object: Object) throws(Failure) -> OpaquePointer {
        if skc_is_forked() { throw Failure.forked }
        guard let slot = takeSlot() else {
            throw Failure(.internalError, "noMemory", "the system has no memory for a handle")
        }
        slot.pointee.object.store(UInt(bitPattern: Unmanaged.passRetained(object).toOpaque()), ordering: .relaxed)
        slot.pointee.kind.store(Object.kind.rawValue, ordering: .relaxed)
        var word = slot.pointee.word.load(ordering: .relaxed)
        var generation: UInt64
        // Calls with a freed handle of this slot may pin it for a moment, so their pins are kept.
        repeat {
            generation = (word >> Slot.generationShift) + 1
            let next = generation << Slot.generationShift | Slot.isLive | word & Slot.pins
            let (exchanged, original) = slot.pointee.word.compareExchange(
                expected: word, desired: next, ordering: .acquiringAndReleasing)
            if exchanged { break }
            word = original
        } while true
        let bits = UInt(generation) << 41 | UInt(bitPattern: slot) >> 6
        guard let handle = OpaquePointer(bitPattern: bits) else {
            throw Failure(.internalError, "noMemory", "the system has no memory for a handle")
        }
        return handle
    }

    /// Calls a function with the object of a handle, which exists until the function returns.
    @inline(__always)
    func with<Object: HandleObject, Value>(
        _ handle: OpaquePointer?, _ body: (Object) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        if skc_is_forked() { throw Failure.forked }
        guard let (slot, generation) = slot(of: handle), pin(slot, generation) else {
            throw Failure.handle(handle, Object.kind)
        }
        defer { unpin(slot) }
        guard slot.pointee.kind.load(ordering: .relaxed) == Object.kind.rawValue,
            let reference = UnsafeRawPointer(bitPattern: slot.pointee.object.load(ordering: .relaxed))
        else { throw Failure.handle(handle, Object.kind) }
        // The pin keeps the object, so that it needs no reference count here.
        return try Unmanaged<Object>.fromOpaque(reference)._withUnsafeGuaranteedRef {
            object -> Result<Value, Failure> in
            do throws(Failure) {
                return .success(try body(object))
            } catch {
                return .failure(error)
            }
        }.get()
    }

    /// Returns the object of a handle.
    func object<Object: HandleObject>(of handle: OpaquePointer?, as type: Object.Type) throws(Failure) -> Object {
        try with(handle) { (object: Object) throws(Failure) in object }
    }

    /// Frees a handle and returns its object; throws if it is not a live handle of this kind.
    @discardableResult
    func free<Object: HandleObject>(_ handle: OpaquePointer?, as type: Object.Type) throws(Failure) -> Object {
        try with(handle) { (object: Object) throws(Failure) in
            // Two threads may free a handle at once; one of them succeeds.
            guard let (slot, _) = slot(of: handle),
                slot.pointee.word.bitwiseOr(Slot.isClosed, ordering: .acquiringAndReleasing).oldValue & Slot.isClosed
                    == 0
            else { throw Failure.handle(handle, Object.kind) }
            return object
        }
    }
}

extension Failure {
    /// A value is not a live handle of the kind that the call needs.
    fileprivate static func handle(_ handle: OpaquePointer?, _ kind: HandleKind) -> Failure {
        handle == nil
            ? null("\(kind)")
            : misuse(
                "badHandle", "the \(kind) was freed, or is a handle of another kind or of another copy of the library")
    }
}

/// The handles of this copy of the library.
///
/// The first use also begins to observe forks, because a child process must not use what its parent has opened.
let handles: HandleTable = {
    skc_observe_forks()
    return HandleTable()
}()
