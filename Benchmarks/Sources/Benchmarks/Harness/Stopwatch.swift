#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The clocks that cases are measured by.
enum Stopwatch {
    /// Processor time of the calling thread: what other processes do hardly shows in it.
    case threadTime
    /// Processor time of all threads of this process.
    case processTime
    /// Time on the wall, for work that runs on several threads or in another process.
    case wallTime

    /// Seconds since some fixed point.
    var seconds: Double {
        var time = timespec()
        switch self {
        case .threadTime: clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        case .processTime: clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        case .wallTime: clock_gettime(CLOCK_MONOTONIC, &time)
        }
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
