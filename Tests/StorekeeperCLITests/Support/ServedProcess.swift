import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Storekeeper
import Testing

/// A process of `storekeeper serve` or `storekeeper local-app-store`.
final class ServedProcess {
    let process = Process()
    private(set) var url = ""
    /// The line that the server prints when it listens.
    private(set) var announcement = ""

    /// Serves a local App Store.
    convenience init(_ arguments: [String], in folder: Folder) throws {
        try self.init("local-app-store", serving: ["--port", "0"] + arguments, in: folder)
    }

    /// Starts a server, and waits until it prints its address.
    init(
        _ command: String = "serve", serving arguments: [String], in folder: Folder,
        environment: [String: String] = [:], errors: FileHandle? = nil
    ) throws {
        let program: URL = try #require(Program.executable)
        process.executableURL = program
        process.arguments = [command, "--format", "json"] + arguments
        process.currentDirectoryURL = folder.url
        process.environment = ["PATH": "/usr/bin:/bin"].merging(environment) { _, given in given }
        let output = Pipe()
        process.standardOutput = output
        if let errors { process.standardError = errors }
        try process.run()
        var line: [UInt8] = []
        while let byte = try output.fileHandleForReading.read(upToCount: 1)?.first, byte != UInt8(ascii: "\n") {
            line.append(byte)
        }
        announcement = String(decoding: line, as: UTF8.self)
        url = try #require(try JSONReader().read(line).root.object?["url"]?.string)
    }

    func end(_ signal: Int32) -> Int32 {
        kill(process.processIdentifier, signal)
        process.waitForEnd()
        return process.terminationStatus
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    func get(_ path: String) async throws -> JSONValue {
        try await Self.json(HTTPClientRequest(url: url + path))
    }

    @discardableResult
    func step(_ text: String) async throws -> JSONValue {
        try await post("/local/v1/steps", ["step": .string(text)])
    }

    @discardableResult
    func post(_ path: String, _ members: [String: JSONText]) async throws -> JSONValue {
        var request = HTTPClientRequest(url: url + path)
        request.method = .POST
        request.headers.add(name: "content-type", value: "application/json")
        request.body = .bytes(JSONText.object(members).bytes())
        return try await Self.json(request)
    }

    private static func json(_ request: HTTPClientRequest) async throws -> JSONValue {
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
        let body = try await response.body.collect(upTo: 16 << 20)
        #expect(response.status == .ok, "\(String(buffer: body))")
        return try JSONReader().read(Array(buffer: body)).root
    }
}
