import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A line editor with history and completion, which uses libedit if the system has it.
///
/// The library is not linked, but loaded at run time, so that the build does not need it. If libedit is missing, or if
/// the program is statically linked and cannot load libraries, lines are read without editing.
struct LineEditor {
    private typealias ReadLine = @convention(c) (UnsafePointer<CChar>?) -> UnsafeMutablePointer<CChar>?
    private typealias AddHistory = @convention(c) (UnsafePointer<CChar>?) -> Int32
    private typealias Words = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    private typealias Complete = @convention(c) (UnsafePointer<CChar>?, Int32, Int32) -> Words?
    private typealias NextWord = @convention(c) (UnsafePointer<CChar>?, Int32) -> UnsafeMutablePointer<CChar>?

    private let readLine: ReadLine
    private let addHistory: AddHistory

    /// The file names of the library on various systems.
    private static let names = ["libedit.so.2", "libedit.so.0", "libedit.3.dylib", "libedit.so"]

    /// The current completion.
    ///
    /// This is a static property, because the library calls a C function without a context.
    private static let completion = Mutex(LineCompletion.none)

    #if canImport(Glibc) || canImport(Darwin)
        /// Loads the library; `nil` if it is missing.
        init?() {
            guard let library = Self.names.lazy.compactMap({ dlopen($0, RTLD_NOW | RTLD_LOCAL) }).first,
                let readLine = dlsym(library, "readline"), let addHistory = dlsym(library, "add_history")
            else { return nil }
            // These signatures of <editline/readline.h> have not changed since 1997.
            self.readLine = unsafeBitCast(readLine, to: ReadLine.self)
            self.addHistory = unsafeBitCast(addHistory, to: AddHistory.self)
            // The library handles characters beyond ASCII only in the user's locale.
            setlocale(LC_CTYPE, "")
            // Without this setting, an interrupt would leave the terminal without echo.
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
            // Only a line feed separates words, so that the library passes the whole line to the closure. The library's
            // own pointer to the line is not used, because it is not always updated when the line is reallocated.
            breaks.assumingMemoryBound(to: UnsafePointer<CChar>?.self).pointee = UnsafePointer(lineFeed)
            attempt.assumingMemoryBound(to: Complete?.self).pointee = { text, _, _ in
                text.flatMap { LineEditor.words(continuing: String(cString: $0)) }
            }
            // Without this function, the library would suggest names of files.
            otherwise.assumingMemoryBound(to: NextWord?.self).pointee = { _, _ in nil }
        }

        /// Returns the suggestions in the library's format: the common prefix, each line, and `nil`.
        ///
        /// The library frees the memory.
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

        /// Reads a line from the user; `nil` at the end of the input.
        func line(prompt: String, completion: LineCompletion) -> String? {
            Self.completion.withLock { $0 = completion }
            guard let text = readLine(prompt) else { return nil }
            defer { free(text) }
            let line = String(cString: text)
            if !line.allSatisfy(\.isWhitespace) { remember(line) }
            return line
        }

        /// Adds a line to the history that the arrow keys show.
        func remember(_ line: String) { _ = addHistory(line) }
    #else
        init?() { return nil }

        func line(prompt: String, completion: LineCompletion) -> String? { nil }

        func remember(_ line: String) {}
    #endif
}
