public import Storekeeper
public import Testing

/// The laws of a ``/Storekeeper/ProductSource``, to be run on any implementation.
///
/// ```swift
/// await ProductSourceConformance(known: ["gold.monthly"]) { MySource() }.run()
/// ```
public struct ProductSourceConformance<Source: ProductSource>: Sendable {
    private let known: [Product.ID]
    private let unknown: Product.ID
    private let make: @Sendable () async throws -> Source
    private let report: ConformanceReport

    /// Makes the suite.
    ///
    /// - Parameters:
    ///   - known: Products that the source knows, at least one.
    ///   - unknown: An id that it does not know.
    ///   - sourceLocation: Where to record what is broken.
    ///   - make: Makes the source.
    public init(
        known: [Product.ID], unknown: Product.ID = "nobody.knows.this.product",
        sourceLocation: SourceLocation = #_sourceLocation, make: @escaping @Sendable () async throws -> Source
    ) {
        self.known = known
        self.unknown = unknown
        self.make = make
        report = ConformanceReport(port: "ProductSource", location: sourceLocation)
    }

    /// Checks all laws and records an issue for each that is broken.
    public func run() async {
        do {
            let source = try await make()
            func ids(_ asked: [Product.ID]) async throws -> [Product.ID] {
                try await source.products(for: asked).map(\.id).sorted()
            }
            let all = Set(known).sorted()
            report.check(!known.isEmpty, "what is known is described", "there is no known product to check with")
            report.check(try await ids(known) == all, "what is known is described")
            report.check(try await ids(known + known) == all, "duplicates count once")
            report.check(try await ids(known + [unknown]) == all, "an id that nobody knows is left out")
            report.check(try await ids([unknown]).isEmpty, "an id that nobody knows is left out")
            report.check(try await ids([]).isEmpty, "who asks for nothing gets nothing")
            for id in known {
                report.check(try await ids([id]) == [id], "only what was asked for is described", "asked for one")
            }
        } catch {
            report.fail("what is known is described", "threw \(error)")
        }
    }
}
