#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A line that can be edited, with the lines before it at hand: libedit, where the system has it.
///
/// The library is looked for when a person sits at a terminal, and not linked: who builds needs nothing more, and who
/// has no libedit types plain lines. A program that is linked statically loads no libraries and does without, too.
struct LineEditor {
    private typealias ReadLine = @convention(c) (UnsafePointer<CChar>?) -> UnsafeMutablePointer<CChar>?
    private typealias AddHistory = @convention(c) (UnsafePointer<CChar>?) -> Int32

    private let readLine: ReadLine
    private let addHistory: AddHistory

    /// The names under which systems have it.
    private static let names = ["libedit.so.2", "libedit.so.0", "libedit.3.dylib", "libedit.so"]

    #if canImport(Glibc) || canImport(Darwin)
        /// Looks for the library; `nil` where there is none.
        init?() {
            guard let library = Self.names.lazy.compactMap({ dlopen($0, RTLD_NOW | RTLD_LOCAL) }).first,
                let readLine = dlsym(library, "readline"), let addHistory = dlsym(library, "add_history")
            else { return nil }
            // The signatures are those of <editline/readline.h>, which have not changed since 1997.
            self.readLine = unsafeBitCast(readLine, to: ReadLine.self)
            self.addHistory = unsafeBitCast(addHistory, to: AddHistory.self)
            // Letters beyond ASCII are one character each only in the user's own locale.
            setlocale(LC_CTYPE, "")
            // Without it an interrupt would leave the terminal without echo.
            if let signals = dlsym(library, "rl_catch_signals") {
                signals.assumingMemoryBound(to: Int32.self).pointee = 1
            }
        }

        /// Lets somebody type a line; `nil` at the end of the input.
        func line(prompt: String) -> String? {
            guard let text = readLine(prompt) else { return nil }
            defer { free(text) }
            let line = String(cString: text)
            if !line.allSatisfy(\.isWhitespace) { _ = addHistory(text) }
            return line
        }
    #else
        init?() { return nil }

        func line(prompt: String) -> String? { nil }
    #endif
}
