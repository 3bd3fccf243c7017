import Foundation

/// Where the servers of this process stand, and what looks after them when the process is gone.
enum ServerFolder {
    /// The folder, made with a guardian: a process that waits for this one to end, however it ends, then stops what is
    /// left of the servers and removes the folder.
    private static let shared = Result { () throws -> URL in
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("storekeeper-servers-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
        let script = """
            tail --pid="$0" -f /dev/null
            for file in "$1"/*/postmaster.pid; do [ -f "$file" ] && kill -INT "$(head -n 1 "$file")"; done
            sleep 1
            rm -rf "$1"
            """
        _ = try ChildProcess([
            "setsid", "sh", "-c", script, "\(ProcessInfo.processInfo.processIdentifier)", folder.path,
        ])
        return folder
    }

    /// A server as `initdb` makes it, which others are copies of.
    private static let template = Result { () throws -> URL in
        let folder = try makeFolder("template")
        try ServerPrograms.run(
            server: "initdb",
            [
                "--pgdata", folder.path, "--username", "storekeeper", "--auth", "trust", "--encoding", "UTF8",
                "--no-locale", "--no-sync",
            ])
        return folder
    }

    /// Makes an empty folder that belongs to whom servers run as.
    static func makeFolder(_ name: String) throws -> URL {
        let folder = try shared.get().appendingPathComponent(name)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path)
        if geteuid() == 0 { try ServerPrograms.run(["chown", "postgres", folder.path]) }
        return folder
    }

    /// Makes a folder with a new server in it.
    static func makeServer(_ name: String) throws -> URL {
        let folder = try shared.get().appendingPathComponent(name)
        try ServerPrograms.run(["cp", "-a", try template.get().path, folder.path])
        return folder
    }
}
