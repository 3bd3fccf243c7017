import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The warning about a task without a store.
extension StoreKit {
    /// Sets the function that receives the warning about a task without a store.
    ///
    /// A task that was detached inside of `withStore` has no store: its sequences are empty, and its customer owns
    /// nothing. Because this looks like a customer without purchases, the first call without a store, while another
    /// task is inside of `withStore`, causes a warning.
    ///
    /// - Parameter handler: The function; `nil` writes the warning to standard error, which is the default.
    public static func setWarningHandler(_ handler: (@Sendable (String) -> Void)?) {
        missingStore.withLock { $0 = MissingStore(handler: handler) }
    }

    private static let missingStore = Mutex(MissingStore())

    private struct MissingStore {
        var handler: (@Sendable (String) -> Void)?
        /// Whether the warning was given, which happens once.
        var isReported = false
    }

    /// Gives the warning, unless it was given before.
    static func warnOfMissingStore() {
        let (wasReported, handler) = missingStore.withLock { state in
            defer { state.isReported = true }
            return (state.isReported, state.handler)
        }
        guard !wasReported else { return }
        let text =
            "StoreKit: a task without a store asks for one, while another task is inside of withStore; a detached task "
            + "does not inherit the store, so its sequences are empty: use Task { } or StoreKit.setDefaultStore"
        if let handler { return handler(text) }
        // If the warning cannot be written, it is lost.
        _ = Array("\(text)\n".utf8).withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
