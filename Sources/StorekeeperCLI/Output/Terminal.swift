#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The widths of a process's terminals.
enum Terminal {
    /// The assumed width of a terminal that does not report its width.
    static let usualWidth = 80

    /// Returns the number of columns of the terminal of a descriptor; `nil` if the descriptor is not a terminal, or the
    /// terminal does not report its width.
    static func width(of descriptor: Int32) -> Int? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// Returns the number of columns in the value of `COLUMNS`; `nil` if the value is not a positive number.
    static func width(named text: String?) -> Int? {
        guard let text, let width = Int(text), (1...100_000).contains(width) else { return nil }
        return width
    }
}
