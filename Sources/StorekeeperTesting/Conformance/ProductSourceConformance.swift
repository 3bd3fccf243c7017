public import Storekeeper
public import Testing

/// Checks that an implementation obeys the laws of ``/Storekeeper/ProductSource``.
///
/// ```swift
/// await ProductSourceConformance(known: ["gold.monthly"]) { MySource() }.run()
/// ```
public struct ProductSourceConformance<Source: ProductSource>: Sendable {
    private let known: [Product.ID]
    private let unknown: Product.ID
    private let make: @Sendable () async throws -> Source
    private let report: ConformanceReport

    /// Creates the suite.
    ///
    /// - Parameters:
    ///   - known: At least one product that the source returns.
    ///   - unknown: A product that the source does not have.
    ///   - sourceLocation: The source location for recorded issues.
    ///   - make: Creates the source.
    public init(
        known: [Product.ID], unknown: Product.ID = "nobody.knows.this.product",
        sourceLocation: SourceLocation = #_sourceLocation, make: @escaping @Sendable () async throws -> Source
    ) {
        self.known = known
        self.unknown = unknown
        self.make = make
        report = ConformanceReport(port: "ProductSource", location: sourceLocation)
    }

    /// Checks all laws, and records an issue for each violation.
    public func run() async {
        do {
            let source = try await make()
            func ids(_ asked: [Product.ID]) async throws -> [Product.ID] {
                try await source.products(for: asked).map(\.id).sorted()
            }
            let all = Set(known).sorted()
            report.check(!known.isEmpty, "known products are described", "the check needs at least one known product")
            report.check(try await ids(known) == all, "known products are described")
            report.check(try await ids(known + known) == all, "duplicates count once")
            report.check(try await ids(known + [unknown]) == all, "an unknown id is omitted")
            report.check(try await ids([unknown]).isEmpty, "an unknown id is omitted")
            report.check(try await ids([]).isEmpty, "a request without ids returns nothing")
            for id in known {
                report.check(try await ids([id]) == [id], "only requested products are described", "asked for one")
            }
        } catch {
            report.fail("known products are described", "threw \(error)")
        }
    }
}
