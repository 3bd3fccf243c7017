import Foundation
import Storekeeper
import StorekeeperTesting
import Testing

@testable import StorekeeperCompanion
@testable import StorekeeperLocalStore
@testable import StorekeeperPages

/// Tests that compare the pictures in Documentation/Screenshots with the current pages.
///
/// With `STOREKEEPER_SCREENSHOTS=write`, the tests write the pictures instead of comparing them. If a picture differs,
/// the new picture is written to a temporary folder, which the failure names.
@Suite(.system, .inBrowser, .serialized, .timeLimit(.minutes(5)))
struct ScreenshotTests {
    /// A view of a page, in a window of a width.
    struct Shot: CustomTestStringConvertible, Sendable {
        let name: String
        let path: String
        var width = 1280
        var isDark = false

        var testDescription: String { name }
    }

    /// Returns the pictures of a view in three widths, in light and in dark colours.
    private static func shots(_ name: String, _ path: String) -> [Shot] {
        [400, 1280, 2560].flatMap { width in
            [false, true].map { isDark in
                Shot(name: "\(name)-\(width)\(isDark ? "-dark" : "")", path: path, width: width, isDark: isDark)
            }
        }
    }

    @Test("The transaction manager looks like its pictures")
    func manager() async throws {
        let served = try await ServedStore()
        for step in [
            "buy gold.monthly by anna", "buy coins.500 by anna", "advance 3 months", "fail billing anna",
            "advance 5 weeks", "buy silver.monthly by bert",
        ] { try await served.step(step) }
        let shots =
            Self.shots("manager", "/?person=anna")
            + [
                Shot(name: "answers-1280", path: "/?view=answers&person=anna&why=gold.monthly"),
                Shot(name: "store-1280", path: "/?view=store"),
            ]
        try await served.local.serving { url in
            try await Browser.with(url) { browser in try await Self.compare(shots, in: browser) }
        }
    }

    @Test("The desk looks like its pictures")
    func desk() async throws {
        let shop = try await CompanionShop(hasDesk: true)
        for step in ["buy gold.monthly by anna", "buy coins.500 by anna", "fail billing anna", "advance 5 weeks"] {
            try await shop.step(step)
        }
        try await shop.ingest("anna")
        let key = try #require(shop.bearers[.admin])
        let shots = Self.shots("desk", "/desk?customer=anna")
        try await shop.serving { port in
            try await Browser.with("http://somebody:\(key)@127.0.0.1:\(port)") { browser in
                try await Self.compare(shots, in: browser)
            }
        }
    }

    @Test("Two different pages differ")
    func different() async throws {
        let served = try await ServedStore()
        try await served.local.serving { url in
            try await Browser.with(url) { browser in
                try await browser.open("/")
                let light = try await browser.picture()
                #expect(try await browser.difference(between: light, and: light) == nil)
                try await browser.resize(width: 1280, isDark: true)
                #expect(try await browser.difference(between: light, and: try await browser.picture()) != nil)
                try await browser.resize(width: 1280)
                try await browser.open("/?view=store")
                #expect(try await browser.difference(between: light, and: try await browser.picture()) != nil)
            }
        }
    }

    /// The folder of the pictures.
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Documentation/Screenshots")

    private static func compare(_ shots: [Shot], in browser: Browser) async throws {
        let isWriting = ProcessInfo.processInfo.environment["STOREKEEPER_SCREENSHOTS"] == "write"
        let different = FileManager.default.temporaryDirectory.appending(path: "storekeeper-screenshots")
        for shot in shots {
            try await browser.resize(width: shot.width, isDark: shot.isDark)
            try await browser.open(shot.path)
            let picture = try await browser.picture()
            let file = folder.appending(path: "\(shot.name).png")
            if isWriting {
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                try picture.write(to: file)
                continue
            }
            let known = try Data(contentsOf: file)
            if let difference = try await browser.difference(between: known, and: picture) {
                try FileManager.default.createDirectory(at: different, withIntermediateDirectories: true)
                let seen = different.appending(path: "\(shot.name).png")
                try picture.write(to: seen)
                Issue.record("\(shot.name): \(difference); see \(seen.path)")
            }
        }
    }
}

extension Browser {
    /// Returns the visible part of the page as a PNG, without its blinking caret.
    fileprivate func picture() async throws -> Data {
        let captured = try await command("Page.captureScreenshot", .object(["format": .string("png")]))
        let text = try #require(captured["data"]?.string)
        return try #require(Data(base64Encoded: text))
    }

    /// Compares two pictures of a page in blocks of eight pixels, so that fonts may be smoothed differently.
    ///
    /// - Returns: A description of the difference; `nil` if at most one block of a hundred differs.
    fileprivate func difference(between known: Data, and seen: Data) async throws -> String? {
        let sources = [known, seen].map { "'data:image/png;base64,\($0.base64EncodedString())'" }
        _ = try await command("Page.navigate", .object(["url": .string("about:blank")]))
        return try await script(
            """
            return (async () => {
            const load = async (source) => { const one = new Image(); one.src = source; await one.decode(); return one; };
            const [left, right] = await Promise.all([\(sources.joined(separator: ", "))].map(load));
            if (left.width !== right.width || left.height !== right.height) {
                return `${right.width} × ${right.height} pixels instead of ${left.width} × ${left.height}`;
            }
            const [columns, rows] = [Math.ceil(left.width / 8), Math.ceil(left.height / 8)];
            const blocks = (picture) => {
                const canvas = Object.assign(document.createElement('canvas'), { width: columns, height: rows });
                const context = canvas.getContext('2d');
                context.imageSmoothingQuality = 'high';
                context.drawImage(picture, 0, 0, columns, rows);
                return context.getImageData(0, 0, columns, rows).data;
            };
            const [known, seen] = [blocks(left), blocks(right)];
            let different = 0;
            for (let at = 0; at < known.length; at += 4) {
                if ([0, 1, 2].some((one) => Math.abs(known[at + one] - seen[at + one]) > 40)) different += 1;
            }
            const share = different / (columns * rows);
            return share > 0.01 ? `${(share * 100).toFixed(1)} % of the picture differs` : null;
            })();
            """
        ).string
    }
}
