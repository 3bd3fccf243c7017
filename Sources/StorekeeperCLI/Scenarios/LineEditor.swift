import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A line that can be edited, with the lines before it at hand and words completed by the tab key: libedit, where the
/// system has it.
///
/// The library is looked for when a person sits at a terminal, and not linked: who builds needs nothing more, and who
/// has no libedit types plain lines. A program that is linked statically loads no libraries and does without, too.
struct LineEditor {
    private typealias ReadLine = @convention(c) (UnsafePointer<CChar>?) -> UnsafeMutablePointer<CChar>?
    private typealias AddHistory = @convention(c) (UnsafePointer<CChar>?) -> Int32
    private typealias Words = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    private typealias Complete = @convention(c) (UnsafePointer<CChar>?, Int32, Int32) -> Words?
    private typealias NextWord = @convention(c) (UnsafePointer<CChar>?, Int32) -> UnsafeMutablePointer<CChar>?

    private let readLine: ReadLine
    private let addHistory: AddHistory

    /// The names under which systems have it.
    private static let names = ["libedit.so.2", "libedit.so.0", "libedit.3.dylib", "libedit.so"]

    /// What the tab key completes.
    ///
    /// The library calls a function of C, which knows of nothing but globals.
    private static let completion = Mutex(LineCompletion.none)

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
            Self.listenToTab(library)
        }

        private static func listenToTab(_ library: UnsafeMutableRawPointer) {
            guard let attempt = dlsym(library, "rl_attempted_completion_function"),
                let otherwise = dlsym(library, "rl_completion_entry_function"),
                let breaks = dlsym(library, "rl_basic_word_break_characters"), let lineFeed = strdup("\n")
            else { return }
            // No character of a line parts words, so that the whole line is handed over. The library's pointer to the
            // line would be the other way to it; that one is not always mended when the line is moved.
            breaks.assumingMemoryBound(to: UnsafePointer<CChar>?.self).pointee = UnsafePointer(lineFeed)
            attempt.assumingMemoryBound(to: Complete?.self).pointee = { text, _, _ in
                text.flatMap { LineEditor.words(continuing: String(cString: $0)) }
            }
            // Else names of files would be offered.
            otherwise.assumingMemoryBound(to: NextWord?.self).pointee = { _, _ in nil }
        }

        /// What the library shows: first what all have in common, then each, at last `nil`; the library frees it.
        private static func words(continuing line: String) -> Words? {
            let lines = completion.withLock { $0 }.lines(continuing: line)
            guard !lines.isEmpty,
                let memory = calloc(lines.count + 2, MemoryLayout<UnsafeMutablePointer<CChar>?>.stride)
            else { return nil }
            let words = memory.assumingMemoryBound(to: UnsafeMutablePointer<CChar>?.self)
            words[0] = strdup(LineCompletion.sharedBeginning(of: lines))
            for (index, line) in lines.enumerated() { words[index + 1] = strdup(line) }
            return words
        }

        /// Lets somebody type a line; `nil` at the end of the input.
        func line(prompt: String, completion: LineCompletion) -> String? {
            Self.completion.withLock { $0 = completion }
            guard let text = readLine(prompt) else { return nil }
            defer { free(text) }
            let line = String(cString: text)
            if !line.allSatisfy(\.isWhitespace) { remember(line) }
            return line
        }

        /// Lets the arrow keys bring a line back.
        func remember(_ line: String) { _ = addHistory(line) }
    #else
        init?() { return nil }

        func line(prompt: String, completion: LineCompletion) -> String? { nil }

        func remember(_ line: String) {}
    #endif
}
