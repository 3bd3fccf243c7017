import Testing

@testable import StorekeeperEngine

/// Tests of the conditions of features in catalogs.
@Suite("Conditions of features") struct FeatureConditionTests {
    static let text = #"""
        {"products":["gold.monthly"],"features":{"ad-free":["gold.monthly"],
        "pro":{"products":["gold.monthly"],"originalVersionBefore":"2.0","originalPurchaseBefore":"2025-03-01"},
        "old":{"originalVersionBefore":7},
        "lounge":{"products":"gold.monthly","paidPeriods":true}}}
        """#
    static let features = [
        Feature(id: "ad-free", productIDs: ["gold.monthly"]),
        Feature(
            id: "pro", productIDs: ["gold.monthly"], originalVersionBefore: "2.0",
            originalPurchaseBefore: Instant("2025-03-01")),
        Feature(id: "old", productIDs: [], originalVersionBefore: "7"),
        Feature(id: "lounge", productIDs: ["gold.monthly"], paidPeriods: true),
    ]

    @Test("A JSON list and a property list have the same conditions")
    func reading() throws {
        let json = try CatalogFixtures.read(Self.text)
        #expect(json.features == Self.features && json.diagnostics.isEmpty)
        let plist = try CatalogFixtures.read(
            CatalogFixtures.plist(
                """
                <dict><key>products</key><array><string>gold.monthly</string></array><key>features</key><dict>
                <key>ad-free</key><array><string>gold.monthly</string></array>
                <key>pro</key><dict><key>products</key><array><string>gold.monthly</string></array>
                <key>originalVersionBefore</key><string>2.0</string>
                <key>originalPurchaseBefore</key><string>2025-03-01</string></dict>
                <key>old</key><dict><key>originalVersionBefore</key><integer>7</integer></dict>
                <key>lounge</key><dict><key>products</key><string>gold.monthly</string><key>paidPeriods</key><true/></dict>
                </dict></dict>
                """))
        #expect(plist.features == Self.features && plist.diagnostics.isEmpty)
    }

    @Test("A catalog that is written has the same conditions", arguments: [true, false])
    func writing(isJSON: Bool) throws {
        let catalog = try CatalogFixtures.read(Self.text)
        let again = try CatalogFixtures.read(catalog.written(as: isJSON ? .json : .propertyList).text)
        #expect(again.features == Self.features && again.diagnostics.isEmpty)
        let printed = try CatalogFixtures.read(catalog.json(.names).text())
        #expect(printed.features == Self.features)
    }

    @Test("Each condition of a later file wins, and what it does not say stays")
    func merging() throws {
        let catalog = try CatalogFixtures.read([
            ("a", Self.text),
            (
                "b",
                #"{"features":{"pro":{"originalVersionBefore":"3"},"lounge":{"paidPeriods":false},"old":["gold.monthly"]}}"#
            ),
        ])
        #expect(
            catalog.features == [
                Self.features[0],
                Feature(
                    id: "pro", productIDs: ["gold.monthly"], originalVersionBefore: "3",
                    originalPurchaseBefore: Instant("2025-03-01")),
                Feature(id: "old", productIDs: ["gold.monthly"], originalVersionBefore: "7"),
                Feature(id: "lounge", productIDs: ["gold.monthly"]),
            ])
    }

    @Test(
        "A condition that cannot be read is reported and gives nothing",
        arguments: [
            #""originalVersionBefore":"two""#, #""originalVersionBefore":["2"]"#, #""originalPurchaseBefore":"soon""#,
            #""originalPurchaseBefore":"2025-02-30""#, #""paidPeriods":"yes""#,
        ])
    func invalid(member: String) throws {
        let catalog = try CatalogFixtures.read(#"{"features":{"pro":{"products":["a"],\#(member)}}}"#)
        #expect(catalog.features == [Feature(id: "pro", productIDs: ["a"])])
        #expect(catalog.diagnostics.map(\.code) == [.skippedEntry])
    }

    @Test("An unknown member of a feature is a note")
    func unknown() throws {
        let catalog = try CatalogFixtures.read(#"{"features":{"pro":{"products":["a"],"originalVersion":"2"}}}"#)
        #expect(catalog.diagnostics.map(\.code) == [.unknownKey])
    }
}
