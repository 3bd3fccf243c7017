#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// How wide the terminals of a process are.
enum Terminal {
    /// How wide a terminal is that does not say so.
    static let usualWidth = 80

    /// How many columns the terminal behind a descriptor has; `nil` where it is none or does not say so.
    static func width(of descriptor: Int32) -> Int? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// The columns that `COLUMNS` names; `nil` where it is no positive number.
    static func width(named text: String?) -> Int? {
        guard let text, let width = Int(text), (1...100_000).contains(width) else { return nil }
        return width
    }
}
