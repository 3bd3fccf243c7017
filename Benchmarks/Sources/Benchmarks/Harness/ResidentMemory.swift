#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The resident memory of this process.
enum ResidentMemory {
    /// The bytes in use, after freed memory was returned to the system.
    ///
    /// - Throws: ``BenchmarkError`` if the system does not report it; Linux does.
    static func bytes() throws -> Double {
        _ = mallocTrim?(0)
        let fields = try String(decoding: TemporaryFolder.read("/proc/self/statm"), as: UTF8.self).split(separator: " ")
        guard fields.count > 1, let pages = Double(fields[1]) else {
            throw BenchmarkError("/proc/self/statm does not tell the memory")
        }
        return pages * Double(sysconf(Int32(_SC_PAGESIZE)))
    }

    private typealias MallocTrim = @convention(c) (Int) -> Int32

    /// glibc's `malloc_trim`, which is in no header visible to Swift.
    private static var mallocTrim: MallocTrim? {
        dlsym(nil, "malloc_trim").map { unsafeBitCast($0, to: MallocTrim.self) }
    }
}
