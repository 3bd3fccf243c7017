#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The memory that this process has.
enum ResidentMemory {
    /// Bytes, without what was freed and can be given back.
    ///
    /// - Throws: ``BenchmarkError`` where the system does not tell; Linux does.
    static func bytes() throws -> Double {
        _ = giveBack?(0)
        let fields = try String(decoding: TemporaryFolder.read("/proc/self/statm"), as: UTF8.self).split(separator: " ")
        guard fields.count > 1, let pages = Double(fields[1]) else {
            throw BenchmarkError("/proc/self/statm does not tell the memory")
        }
        return pages * Double(sysconf(Int32(_SC_PAGESIZE)))
    }

    private typealias MallocTrim = @convention(c) (Int) -> Int32

    /// glibc's `malloc_trim`, which no header shows to Swift.
    private static var giveBack: MallocTrim? {
        dlsym(nil, "malloc_trim").map { unsafeBitCast($0, to: MallocTrim.self) }
    }
}
