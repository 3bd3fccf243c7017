import Foundation

/// The folder of this process's servers, and its cleanup when the process has ended.
enum ServerFolder {
    /// The folder, which is made together with a guardian process.
    ///
    /// When the process of the tests has ended in any way, the guardian process stops the remaining servers and removes
    /// the folder.
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

    /// A folder made by `initdb`, which is copied for each server.
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

    /// Makes an empty folder that belongs to the user that runs the servers.
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
