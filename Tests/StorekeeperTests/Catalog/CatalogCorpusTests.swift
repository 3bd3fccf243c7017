import Foundation
import Testing

@testable import StorekeeperEngine

/// Tests with catalogs of real apps, which are in a folder next to the repository's folder.
struct CatalogCorpusTests {
    private static let folder: URL = {
        var root = URL(filePath: #filePath)
        for _ in 0..<4 { root.deleteLastPathComponent() }
        return root.appending(path: "../shared/corpus").standardized
    }()
    private static let exists = FileManager.default.fileExists(atPath: folder.path)

    private static func files(in name: String) throws -> [CatalogFile] {
        let folder = folder.appending(path: name)
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map { file in
            CatalogFile(name: file, bytes: Array(try Data(contentsOf: folder.appending(path: file))))
        }
    }

    @Test(
        "Every real configuration gives all its products, or one error",
        .enabled(if: exists, "no corpus of real files next to the checkout"))
    func configurations() throws {
        let files = try Self.files(in: "storekit")
        #expect(!files.isEmpty)
        for file in files {
            let text = String(decoding: file.bytes, as: UTF8.self)
            do throws(CatalogError) {
                let catalog = try Catalog(reading: [file])
                // The products are counted without our readers: every product has the key `productID`, and nothing else
                // has it. One file has its product under a key that no other file uses, so its expected count is zero.
                let expected =
                    text.contains("\"nonConsumableIAP\"") ? 0 : text.components(of: "\"productID\"").count - 1
                #expect(catalog.products.count == expected, "\(file.name)")
                #expect(catalog.products.allSatisfy { $0.type != nil }, "\(file.name)")
                for group in catalog.groups {
                    #expect(group.productIDs.allSatisfy { catalog.product($0)?.subscription?.groupLevel != nil })
                }
            } catch {
                let isJSON = file.bytes.first == UInt8(ascii: "{")
                #expect([.notJSON, .appleDouble, .empty, .xmlWhereJSON].contains(error.code), "\(file.name)")
                #expect(isJSON == (error.code == .notJSON), "\(file.name)")
            }
        }
    }

    @Test(
        "Every real configuration gives its settings, or the error that its products give",
        .enabled(if: exists, "no corpus of real files next to the checkout"))
    func settings() throws {
        for file in try Self.files(in: "storekit") {
            do throws(CatalogError) {
                _ = try Catalog(reading: [file])
                let settings = try StoreKitSettings(file)
                // The settings are compared with the values that Foundation, instead of our readers, finds in the file.
                let root = try? JSONSerialization.jsonObject(with: Data(file.bytes)) as? [String: Any]
                let stated = root?["settings"] as? [String: Any] ?? [:]
                #expect(settings.timeRateCode == stated["_timeRate"] as? Int ?? 0, "\(file.name)")
                #expect(settings.storefront == stated["_storefront"] as? String ?? "USA", "\(file.name)")
                #expect(settings.locale == stated["_locale"] as? String ?? "en_US", "\(file.name)")
                #expect(settings.applicationID == stated["_applicationInternalID"] as? String, "\(file.name)")
                #expect(settings.errors.count == (stated["_storeKitErrors"] as? [Any] ?? []).count, "\(file.name)")
                #expect(!settings.failsTransactions && !settings.entersBillingRetryOnRenewal, "\(file.name)")
                let known = ["Transaction Listener"]
                #expect(settings.diagnostics.allSatisfy { known.contains($0.subject ?? "") }, "\(file.name)")
            } catch {
                #expect(throws: error, "\(file.name)") { try StoreKitSettings(file) }
            }
        }
    }

    @Test(
        "Every real product list gives its products, or one error",
        .enabled(if: exists, "no corpus of real files next to the checkout"))
    func lists() throws {
        let files = try Self.files(in: "plist")
        #expect(!files.isEmpty)
        for file in files {
            let text = String(decoding: file.bytes, as: UTF8.self)
            do throws(CatalogError) {
                let catalog = try Catalog(reading: [file])
                #expect(catalog.diagnostics.allSatisfy { $0.code != .badPrice && $0.code != .unknownType })
                if text.contains("appleSKU") {
                    #expect(catalog.products.count == text.components(of: "\"storeIDs\"").count - 1, "\(file.name)")
                }
                #expect(catalog.products.allSatisfy { text.contains($0.id.rawValue) }, "\(file.name)")
            } catch {
                #expect(error.code == .noProductList, "\(file.name)")
            }
        }
    }

    @Test(
        "Every real catalog is written in each format and read back",
        .enabled(if: exists, "no corpus of real files next to the checkout"),
        arguments: WrittenCatalog.Format.allCases)
    func written(format: WrittenCatalog.Format) throws {
        var count = 0
        for file in try Self.files(in: "storekit") + Self.files(in: "plist") {
            guard let catalog = try? Catalog(reading: [file]) else { continue }
            let written = catalog.written(as: format)
            let again = try Catalog(reading: [CatalogFile(name: file.name, bytes: written.bytes)])
            let expected =
                format == .storeKitConfiguration ? GeneratedCatalog.asConfiguration(catalog) : catalog
            #expect(again.products == expected.products, "\(file.name)")
            #expect(again.groups == expected.groups, "\(file.name)")
            #expect(again.features == expected.features, "\(file.name)")
            #expect(again.written(as: format).text == written.text, "\(file.name)")
            if format != .storeKitConfiguration { #expect(written.diagnostics == [], "\(file.name)") }
            count += 1
        }
        #expect(count > 50)
    }

    @Test(
        "All real files together give one catalog",
        .enabled(if: exists, "no corpus of real files next to the checkout")
    )
    func together() throws {
        var good: [CatalogFile] = []
        for file in try Self.files(in: "storekit") + Self.files(in: "plist") {
            if (try? Catalog(reading: [file])) != nil { good.append(file) }
        }
        let catalog = try Catalog(reading: good)
        #expect(Set(catalog.ids).count == catalog.products.count)
        let grouped = catalog.groups.flatMap(\.productIDs)
        #expect(Set(grouped).count == grouped.count)
    }
}

extension String {
    /// Returns the parts between the occurrences of a text.
    fileprivate func components(of separator: String) -> [Substring] {
        split(separator: separator, omittingEmptySubsequences: false)
    }
}
