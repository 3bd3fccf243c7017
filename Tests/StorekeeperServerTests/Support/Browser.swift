import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Storekeeper
import Testing

extension Trait where Self == ConditionTrait {
    /// Runs the tests only if a browser is installed, or if the environment requires a browser.
    static var inBrowser: Self {
        .enabled(if: Browser.isWanted, "chromedriver is not installed (Debian's package: chromium-driver)")
    }
}

/// A headless Chromium, driven by the WebDriver protocol.
///
/// - SeeAlso: W3C, "WebDriver"; the driver's own `goog/cdp/execute` speaks the protocol of Chromium's developer tools.
final class Browser: Sendable {
    /// Whether tests fail if the browser is missing.
    static let isRequired = ProcessInfo.processInfo.environment["STOREKEEPER_BROWSER"] == "required"
    /// Whether tests in a browser can run, or must run.
    static let isWanted = isRequired || driver != nil

    private static let driver: URL? = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").lazy
        .map { URL(filePath: String($0)).appending(path: "chromedriver") }
        .first { FileManager.default.isExecutableFile(atPath: $0.path) }

    /// An error of the browser or the driver.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let service: String
    private let session: String
    private let page: String

    private init(service: String, session: String, page: String) {
        (self.service, self.session, self.page) = (service, session, page)
    }

    /// Opens a window on a page's server during the body, and expects that the browser's console has no messages.
    ///
    /// - Parameters:
    ///   - page: The address of the server.
    ///   - width: The width of the window in pixels.
    ///   - isDark: Whether the window prefers dark colours.
    static func with(
        _ page: String, width: Int = 1280, isDark: Bool = false, _ body: (Browser) async throws -> Void
    ) async throws {
        let (process, port) = try startedDriver()
        // SIGKILL is used, because a program that tests start may inherit that SIGTERM is ignored. The browser has
        // already ended when the driver is killed.
        defer {
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
        let service = "http://127.0.0.1:\(port)"
        let flags =
            ["--headless=new", "--disable-gpu", "--disable-dev-shm-usage"] + (geteuid() == 0 ? ["--no-sandbox"] : [])
        let opened = try await ask(
            "POST", "\(service)/session",
            .object([
                "capabilities": .object([
                    "alwaysMatch": .object([
                        "browserName": .string("chrome"),
                        "goog:chromeOptions": .object(["args": .array(flags.map(JSONText.string))]),
                        "goog:loggingPrefs": .object(["browser": .string("ALL")]),
                    ])
                ])
            ]))
        let id = try #require(opened.object?["sessionId"]?.string)
        let browser = Browser(service: service, session: "\(service)/session/\(id)", page: page)
        do {
            try await browser.resize(width: width, isDark: isDark)
            try await body(browser)
            try await browser.expectSilence()
        } catch {
            _ = try? await ask("DELETE", browser.session)
            throw error
        }
        _ = try await ask("DELETE", browser.session)
    }

    /// Starts the driver on a free port.
    ///
    /// The driver listens on the same port with IPv6 and with IPv4. It ends if another program uses the second port,
    /// and is then started again.
    private static func startedDriver() throws -> (Process, port: Int) {
        guard let driver else { throw Failure(description: "chromedriver is not on the PATH; install chromium-driver") }
        var failure = Failure(description: "chromedriver does not start")
        for _ in 0..<5 {
            let process = Process()
            process.executableURL = driver
            process.arguments = ["--port=0"]
            let output = Pipe()
            process.standardOutput = output
            process.standardError = FileHandle.nullDevice
            try process.run()
            do {
                return (process, try port(of: output))
            } catch let error as Failure {
                failure = error
                process.waitUntilExit()
            }
        }
        throw failure
    }

    /// Returns the port that the driver prints when it starts.
    private static func port(of output: Pipe) throws -> Int {
        var line = ""
        while let byte = try output.fileHandleForReading.read(upToCount: 1)?.first {
            line.unicodeScalars.append(Unicode.Scalar(byte))
            if let match = line.firstMatch(of: #/started successfully on port (\d+)/#), byte == UInt8(ascii: "\n") {
                return Int(match.1) ?? 0
            }
        }
        throw Failure(description: "chromedriver does not start: \(line)")
    }

    // MARK: Actions

    func open(_ path: String = "/") async throws {
        _ = try await ask("url", .object(["url": .string(page + path)]))
    }

    func click(_ selector: String) async throws {
        // A page that updates itself may replace the element after it was found.
        for _ in 0..<5 {
            do {
                let element = try await element(selector)
                // In the middle, where no notice at the edge of the window covers it. An option of a list has no place.
                try await script(
                    "document.querySelector(\(JSONText.string(selector).text()))?.scrollIntoView({ block: 'center' })")
                _ = try await ask("element/\(element)/click", .object([:]))
                return
            } catch let failure as Failure where failure.description.contains("stale element") {}
        }
        throw Failure(description: "\(selector) is replaced before it can be clicked")
    }

    /// Selects a value in a list.
    func choose(_ value: String, in selector: String) async throws {
        try await click("\(selector) option[value=\"\(value)\"]")
    }

    /// Types into a field, or sets the path of a file field.
    func type(_ text: String, into selector: String) async throws {
        _ = try await ask("element/\(try await element(selector))/value", .object(["text": .string(text)]))
    }

    /// Presses keys in order; the element with the focus receives them.
    func press(_ keys: Key...) async throws {
        let strokes = keys.flatMap { key in
            ["keyDown", "keyUp"].map { JSONText.object(["type": .string($0), "value": .string(key.rawValue)]) }
        }
        _ = try await ask(
            "actions",
            .object([
                "actions": .array([
                    .object(["type": .string("key"), "id": .string("keys"), "actions": .array(strokes)])
                ])
            ]))
    }

    /// Presses a key while other keys are held down.
    func press(_ key: Key, holding held: [Key]) async throws {
        func stroke(_ type: String, _ key: Key) -> JSONText {
            .object(["type": .string(type), "value": .string(key.rawValue)])
        }
        let strokes =
            held.map { stroke("keyDown", $0) } + [stroke("keyDown", key), stroke("keyUp", key)]
            + held.reversed().map { stroke("keyUp", $0) }
        _ = try await ask(
            "actions",
            .object([
                "actions": .array([
                    .object(["type": .string("key"), "id": .string("keys"), "actions": .array(strokes)])
                ])
            ]))
    }

    /// Moves fingers over the page at the same time, each from point to point.
    func touch(_ fingers: [(x: Int64, y: Int64)]...) async throws {
        let moves = fingers.enumerated().map { number, points -> JSONText in
            var acts: [JSONText] = points.enumerated().flatMap { place, point -> [JSONText] in
                let move = JSONText.object([
                    "type": .string("pointerMove"), "x": .whole(Int(point.x)), "y": .whole(Int(point.y)),
                    "duration": .whole(place == 0 ? 0 : 20),
                ])
                return place == 0 ? [move, .object(["type": .string("pointerDown"), "button": .whole(0)])] : [move]
            }
            acts.append(.object(["type": .string("pointerUp"), "button": .whole(0)]))
            return .object([
                "type": .string("pointer"), "id": .string("finger \(number)"),
                "parameters": .object(["pointerType": .string("touch")]), "actions": .array(acts),
            ])
        }
        _ = try await ask("actions", .object(["actions": .array(moves)]))
    }

    /// A key: the text that it types, or its code in the protocol.
    struct Key: RawRepresentable, ExpressibleByStringLiteral, Sendable {
        let rawValue: String

        init(rawValue: String) { self.rawValue = rawValue }
        init(stringLiteral value: String) { rawValue = value }

        static let tab = Key(rawValue: "\u{E004}")
        static let enter = Key(rawValue: "\u{E007}")
        static let escape = Key(rawValue: "\u{E00C}")
        static let down = Key(rawValue: "\u{E015}")
        static let right = Key(rawValue: "\u{E014}")
        static let space: Key = " "
        static let shift = Key(rawValue: "\u{E008}")
        static let control = Key(rawValue: "\u{E009}")
    }

    /// Sets the width of the window and its colours.
    ///
    /// Forced colours are the colours of the system.
    func resize(width: Int, isDark: Bool = false, isForced: Bool = false) async throws {
        _ = try await command(
            "Emulation.setDeviceMetricsOverride",
            .object([
                "width": .whole(width), "height": .whole(900), "deviceScaleFactor": .whole(1), "mobile": .bool(false),
            ]))
        _ = try await command(
            "Emulation.setEmulatedMedia",
            .object([
                "features": .array([
                    .object([
                        "name": .string("prefers-color-scheme"), "value": .string(isDark ? "dark" : "light"),
                    ]),
                    .object(["name": .string("forced-colors"), "value": .string(isForced ? "active" : "none")]),
                    // With reduced motion, colours do not change gradually, so that they are not measured during a
                    // change.
                    .object(["name": .string("prefers-reduced-motion"), "value": .string("reduce")]),
                ])
            ]))
    }

    /// Sends a command of the developer tools protocol.
    func command(_ name: String, _ parameters: JSONText = .object([:])) async throws -> JSONValue {
        try await ask("goog/cdp/execute", .object(["cmd": .string(name), "params": parameters]))
    }

    // MARK: Queries

    /// Returns the result of a script, which is the body of a function.
    @discardableResult
    func script(_ text: String) async throws -> JSONValue {
        try await ask("execute/sync", .object(["script": .string(text), "args": .array([])]))
    }

    /// Returns the visible text of the first matching element.
    func text(_ selector: String) async throws -> String {
        try await script("return document.querySelector(\(Self.quoted(selector)))?.innerText ?? ''").string ?? ""
    }

    /// Waits until a JavaScript expression is true.
    func wait(until condition: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        for _ in 0..<600 {
            // A script fails while the browser leaves a page.
            if let answer = try? await script("return Boolean(\(condition))"), answer.bool == true { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        let seen = (try? await text("main")) ?? ""
        Issue.record("timed out waiting for \(condition); the page says:\n\(seen)", sourceLocation: sourceLocation)
        throw Failure(description: "timed out waiting for \(condition)")
    }

    /// Waits until an element contains a text.
    func wait(for words: String, in selector: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await wait(
            until:
                "(document.querySelector(\(Self.quoted(selector)))?.innerText ?? '').includes(\(Self.quoted(words)))",
            sourceLocation: sourceLocation)
    }

    /// Expects that the console has no messages, except about refused forms.
    private func expectSilence() async throws {
        let lines = try await ask("se/log", .object(["type": .string("browser")]))
        for line in lines.array.map(Array.init) ?? []
        where line.object?["message"]?.string?.contains("status of 422") != true {
            Issue.record("the console says: \(line.object?["message"]?.string ?? "")")
        }
    }

    private func element(_ selector: String) async throws -> String {
        let found = try await ask(
            "element", .object(["using": .string("css selector"), "value": .string(selector)]))
        return try #require(found.object?.first { _ in true }?.value.string)
    }

    private static func quoted(_ text: String) -> String { JSONText.string(text).text(.compact) }

    private func ask(_ path: String, _ body: JSONText) async throws -> JSONValue {
        try await Self.ask("POST", "\(session)/\(path)", body)
    }

    private static func ask(_ method: String, _ url: String, _ body: JSONText? = nil) async throws -> JSONValue {
        var request = HTTPClientRequest(url: url)
        request.method = .init(rawValue: method)
        request.headers.add(name: "content-type", value: "application/json")
        if let body { request.body = .bytes(body.bytes()) }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(120))
        let bytes = Array(buffer: try await response.body.collect(upTo: 64 << 20))
        let document = try JSONReader(maximumDepth: 512, maximumSize: 64 << 20).read(bytes)
        guard response.status == .ok else {
            throw Failure(description: "\(url): \(document.root.object?["value"]?.object?["message"]?.string ?? "")")
        }
        return document.root.object?["value"] ?? document.root
    }
}
