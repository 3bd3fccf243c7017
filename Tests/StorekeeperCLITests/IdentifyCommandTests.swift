import Foundation
import Storekeeper
import Testing

@testable import StorekeeperCLI

/// Tests of `storekeeper identify`; what is recognized is tested with the engine.
@Suite struct IdentifyCommandTests {
    private let folder: Folder

    init() throws { folder = try Folder() }

    private func run(_ arguments: [String]) throws -> Program.Result { try Tool.run(arguments, in: folder) }

    @Test("One line says what a file is and what to do with it, and JSON gives the kind")
    func known() throws {
        try folder.write(#"{"products":["coins","gold"]}"#, to: "list.json")
        let text = try run(["identify", "list.json"])
        #expect(text.status == 0 && text.errors.isEmpty)
        #expect(text.output.hasPrefix("list.json: a list of products (2 items): "), "\(text.output)")
        #expect(text.output.contains("'storekeeper products list.json'"))
        #expect(text.output.split(separator: "\n").count == 1)
        let json = try run(["identify", "list.json", "--format", "json"])
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
        #expect(object.keys.sorted() == ["items", "kind", "next"])
        #expect(object["kind"] as? String == "catalog" && object["items"] as? Int == 2)
    }

    @Test("Unknown content is 65, a missing file 66, no file 64")
    func refused() throws {
        try folder.write("hello", to: "hello.txt")
        let unknown = try run(["identify", "hello.txt", "--format", "json"])
        #expect(unknown.status == 65 && unknown.output.contains("\"unknown\""), "\(unknown.output)")
        #expect(try run(["identify", "missing"]).status == 66)
        #expect(try run(["identify"]).status == 64)
    }

    @Test("A list of products is read in the encodings that are recognized")
    func encodedCatalog() throws {
        let list = Data(#"{"products":["coins","gold"]}"#.utf8)
        try folder.write(list.base64EncodedString(), to: "c64.txt")
        try folder.write(#"["silver"]"#, to: "list.json")
        try folder.write("", to: "evidence.txt")
        let products = try run(["products", "list.json", "c64.txt", "--format", "json"])
        #expect(products.status == 0 && products.output.contains("\"gold\""), "\(products.errors)")
        let answers = try run([
            "entitlements", "evidence.txt", "--catalog", "c64.txt", "--unsigned", "--format", "json",
        ])
        #expect(answers.status == 0 && answers.output.contains("\"gold\""), "\(answers.errors)")
    }

    @Test("A catalog option says what a file is instead of a catalog")
    func catalog() throws {
        try folder.write(#"{"status":21007}"#, to: "answer.json")
        let result = try run(["products", "answer.json"])
        #expect(result.status == 65 && result.errors.contains("verifyReceipt"), "\(result.errors)")
    }
}
