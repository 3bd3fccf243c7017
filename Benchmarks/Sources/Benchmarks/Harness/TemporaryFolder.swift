#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A folder that is removed with this object.
final class TemporaryFolder {
    let path: String

    init() throws {
        var template = Array("\(Self.base)/storekeeper-bench.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw BenchmarkError("cannot make a temporary folder") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        for name in names { unlink("\(path)/\(name)") }
        rmdir(path)
    }

    private var names: Set<String> = []

    /// The path of a file in the folder, which is removed with it.
    func file(_ name: String) -> String {
        names.insert(name)
        return "\(path)/\(name)"
    }

    /// Removes a file if it exists.
    func remove(_ name: String) { unlink("\(path)/\(name)") }

    /// Writes a file and returns its path.
    func write(_ content: [UInt8], to name: String) throws -> String {
        let path = file(name)
        guard let stream = fopen(path, "wb") else { throw BenchmarkError("cannot write \(name)") }
        let written = fwrite(content, 1, content.count, stream)
        guard fclose(stream) == 0, written == content.count else { throw BenchmarkError("cannot write \(name)") }
        return path
    }

    /// The content of a small file.
    static func read(_ path: String) throws -> [UInt8] {
        guard let stream = fopen(path, "rb") else { throw BenchmarkError("cannot read \(path)") }
        defer { fclose(stream) }
        var content: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = fread(&buffer, 1, buffer.count, stream)
            guard count > 0 else { return content }
            content += buffer[..<count]
        }
    }

    private static var base: String { getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp" }
}
