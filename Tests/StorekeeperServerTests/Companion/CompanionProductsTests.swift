import HTTPTypes
import Storekeeper
import Testing

@testable import StorekeeperCompanion
@testable import StorekeeperPages

/// Tests of the product list that the companion service serves.
@Suite struct CompanionProductsTests {
    private static let changed = Instant("2026-03-01T09:30:00.250Z")

    @Test("The list has the products of the catalog, and can be read as one")
    func list() async throws {
        let shop = try await CompanionShop()
        let answer = try await shop.ask("GET", "/v1/products", as: .check)
        #expect(answer.status == 200 && answer.fields[.contentType] == "application/json")
        let read = try Catalog(reading: [CatalogFile(name: "served", bytes: Array(answer.text.utf8))])
        let catalog = await shop.pool.catalog
        #expect(Set(read.products.map(\.id)) == Set(catalog.products.map(\.id)))
        #expect(read.features == catalog.features && read.groups.map(\.id) == catalog.groups.map(\.id))
        #expect(try await shop.ask("GET", "/v1/products", as: nil).status == 401)
    }

    @Test("In a language, prices and periods are as its readers write them")
    func locale() async throws {
        let shop = try await CompanionShop()
        let german = try await shop.ask("GET", "/v1/products?locale=de-AT", as: .check)
        #expect(german.document?["locale"]?.string == "de-AT")
        let gold = german.document?["products"]?.array?.first { $0.object?["id"]?.string == "gold.monthly" }?.object
        #expect(gold?["periodText"]?.string == "1 Monat", "\(german.text)")
        #expect(gold?["displayPrice"]?.string?.contains(",") == true, "\(german.text)")
        for bad in ["locale=", "locale=deutsch", "locale=de&locale=fr", "language=de"] {
            #expect(try await shop.ask("GET", "/v1/products?\(bad)", as: .check).status == 400, "\(bad)")
        }
    }

    @Test("A client that has the response gets 304, by its ETag or by the time of the files")
    func revalidation() async throws {
        let shop = try await CompanionShop(catalogChangedAt: Self.changed)
        let path = "/v1/products"
        let first = try await shop.ask("GET", path, as: .check)
        let tag = try #require(first.fields[.eTag])
        #expect(first.fields[.lastModified] == "Sun, 01 Mar 2026 09:30:00 GMT")
        #expect(first.fields[.cacheControl] == "private, no-cache")
        let other = try await shop.ask("GET", path + "?locale=fr", as: .check)
        #expect(other.fields[.eTag] != tag)
        for (fields, status) in [
            (["If-None-Match": tag], 304), (["If-None-Match": "\"x\", W/\(tag)"], 304), (["If-None-Match": "*"], 304),
            (["If-None-Match": "\"x\""], 200),
            (["If-Modified-Since": "Sun, 01 Mar 2026 09:30:00 GMT"], 304),
            (["If-Modified-Since": "Sun, 01 Mar 2026 09:29:59 GMT"], 200),
            // The client has seen a newer catalog, before the server went back to this catalog.
            (["If-Modified-Since": "Sun, 01 Mar 2026 12:00:00 GMT"], 200),
            (["If-Modified-Since": "yesterday"], 200),
            // If a request has an ETag and a time, the ETag decides.
            (["If-None-Match": "\"x\"", "If-Modified-Since": "Sun, 01 Mar 2026 09:30:00 GMT"], 200),
        ] {
            let answer = try await shop.ask("GET", path, as: .check, fields: fields)
            #expect(answer.status == status, "\(fields)")
            #expect(answer.fields[.eTag] == tag && answer.text.isEmpty == (status == 304))
        }
        let unknown = try await CompanionShop().ask(
            "GET", path, as: .check, fields: ["If-Modified-Since": "Sun, 01 Mar 2099 09:30:00 GMT"])
        #expect(unknown.status == 200 && unknown.fields[.lastModified] == nil)
    }

    @Test(
        "The text of a time has its weekday",
        arguments: [
            ("1970-01-01T00:00:00Z", "Thu, 01 Jan 1970 00:00:00 GMT"),
            ("1994-11-06T08:49:37Z", "Sun, 06 Nov 1994 08:49:37 GMT"),
            ("1969-12-31T23:59:59Z", "Wed, 31 Dec 1969 23:59:59 GMT"),
            ("2026-11-25T18:00:00Z", "Wed, 25 Nov 2026 18:00:00 GMT"),
        ])
    func time(instant: String, text: String) throws {
        let instant = try #require(Instant(instant))
        #expect(HTTPDate.text(instant) == text && HTTPDate.instant(text) == instant)
    }
}
