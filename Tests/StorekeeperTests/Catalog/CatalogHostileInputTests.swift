import StorekeeperTesting
import Testing

@testable import StorekeeperEngine

struct CatalogHostileInputTests {
    @Test("Ten thousand levels of nesting are refused without recursion into them")
    func depth() {
        let count = 10_000
        #expect(CatalogFixtures.error(String(repeating: "[", count: count))?.code == .tooDeep)
        #expect(CatalogFixtures.error(String(repeating: "{\"a\":", count: count))?.code == .tooDeep)
        let xml = CatalogFixtures.plist(
            String(repeating: "<array>", count: count) + String(repeating: "</array>", count: count))
        #expect(CatalogFixtures.error(xml)?.code == .tooDeep)
        // The list consists of nested arrays: each array has one element, which is the next object.
        let binary = CatalogFixtures.binaryPlist((0..<70).map { [0xA1, $0 + 1] } + [[0xA0]])
        #expect(CatalogFixtures.error(binary)?.code == .tooDeep)
    }

    @Test("A sample of every format that is cut at any byte gives an error or a catalog")
    func truncation() {
        for sample in CatalogFixtures.samples {
            for length in 0..<sample.count {
                let error = CatalogFixtures.error(Array(sample.prefix(length)))
                // A shortened file has no error only if the missing part is white space.
                let rest = sample.dropFirst(length)
                #expect(error != nil || rest.allSatisfy { $0 == 0x0A || $0 == 0x20 }, "\(length)")
            }
        }
    }

    @Test("An object that contains itself is refused")
    func cycles() {
        #expect(CatalogFixtures.error(CatalogFixtures.binaryPlist([[0xA1, 0]]))?.code == .damagedPropertyList)
        #expect(
            CatalogFixtures.error(CatalogFixtures.binaryPlist([[0xD1, 1, 2], [0x51, 0x61], [0xA1, 0]]))?.code
                == .damagedPropertyList)
    }

    @Test("Shared objects that expand exponentially are refused")
    func sharing() {
        // The list has forty arrays, each of which contains the next array twice, so that it has 2⁴⁰ strings if it is
        // expanded.
        let arrays: [[UInt8]] = (0..<40).map { [0xA2, $0 + 1, $0 + 1] }
        let error = CatalogFixtures.error(CatalogFixtures.binaryPlist(arrays + [[0x51, 0x61]]))
        #expect(error?.code == .tooLarge)
    }

    @Test("Entities that a document declares itself are refused")
    func entities() {
        let text = """
            <?xml version="1.0"?><!DOCTYPE plist [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>
            <plist><array><string>&b;</string></array></plist>
            """
        #expect(CatalogFixtures.error(text)?.code == .notPropertyList)
        #expect(
            CatalogFixtures.error(CatalogFixtures.plist("<array><string>&b;</string></array>"))?.code
                == .notPropertyList)
    }

    @Test(
        "Counts, offsets and sizes beyond the end of the file are refused",
        arguments: [
            [[0xAF, 0x13, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]],
            [[0xAF, 0x13, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]],
            [[0xDF, 0x13, 0x40, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00]], [[0xAF, 0x14]], [[0xAF, 0xA0]], [[0xAF]],
            [[0xA1, 9]], [[0xA2, 0]], [[0x5F, 0x10, 0xFF]],
            [[0x6F, 0x13, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]],
            [[0xA1, 1], [0x62, 0xD8, 0x00, 0xD8, 0x00]], [[0xA1, 1], [0x51, 0xFF]], [[0x1F]], [[0x2F]], [[0xF0]],
            [[0x01]],
            [[0xD1, 1, 1], [0x09]], [[0xD2, 1, 1, 1, 1], [0x51, 0x61]],
        ] as [[[UInt8]]])
    func binaryFaults(objects: [[UInt8]]) throws {
        let error = try #require(CatalogFixtures.error(CatalogFixtures.binaryPlist(objects)))
        #expect([.damagedPropertyList, .duplicateKey].contains(error.code))
    }

    @Test("A trailer with false numbers is refused")
    func binaryTrailer() {
        let good = CatalogFixtures.binaryPlist([[0xA1, 1], [0x51, 0x61]])
        #expect(CatalogFixtures.error(good) == nil)
        for offset in good.count - 26..<good.count {
            for value: UInt8 in [0xFF, 0x7F, 0x40] {
                var bytes = good
                bytes[offset] = value
                #expect(CatalogFixtures.error(bytes)?.code == .damagedPropertyList, "\(offset) \(value)")
            }
        }
    }

    @Test("The time for many entries grows in proportion to their number")
    func manyEntries() throws {
        let ids = (0..<100_000).map { "\"p\($0)\"" }.joined(separator: ",")
        let list = #"{"subscriptions":[{"group":"m","products":[\#(ids)]}],"features":{"f":[\#(ids)]}}"#
        var catalog = Catalog.empty
        let time = try processorTime { catalog = try CatalogFixtures.read(list) }
        #expect(catalog.products.count == 100_000)
        #expect(time < .seconds(60))
    }

    @Test("A file that is wrong throughout gives a limited number of diagnostics")
    func manyDiagnostics() throws {
        let catalog = try CatalogFixtures.read(
            "[" + Array(repeating: "\"a\"", count: 5001).joined(separator: ",") + "]")
        #expect(catalog.diagnostics.count == CatalogDraft.maximumOfOneCode + 1)
        #expect(catalog.diagnostics.contains { $0.message == "4000 more diagnostics of this kind were omitted" })
    }

    @Test("Ten thousand mutated samples give errors or catalogs and never crash")
    func mutations() {
        var random = PropertySettings.environment.generator
        var readable = 0
        let mutator = ByteMutator(samples: CatalogFixtures.samples)
        let count = PropertySettings.environment.count(of: 10_000)
        for _ in 0..<count {
            let bytes = mutator.mutant(&random)
            guard let catalog = try? Catalog(reading: [CatalogFile(name: "Products", bytes: bytes)]) else { continue }
            readable += 1
            // A catalog from a damaged file must be writable like any other.
            let written = catalog.written(as: WrittenCatalog.Format.allCases[readable % 3])
            let error = CatalogFixtures.error(written.bytes)
            #expect(error == nil, "\(error.map(String.init) ?? "")")
        }
        // The test is meaningful only if some mutated files are readable and some are not.
        #expect(readable > count / 50)
        #expect(readable < count)
    }
}
