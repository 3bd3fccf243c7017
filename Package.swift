// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "storekeeper",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "StorekeeperEngine", targets: ["StorekeeperEngine"]),
        .library(name: "Storekeeper", targets: ["Storekeeper"]),
        .library(name: "StorekeeperJWS", targets: ["StorekeeperJWS"]),
        .library(name: "StorekeeperSQLite", targets: ["StorekeeperSQLite"]),
        .library(name: "StorekeeperPostgres", targets: ["StorekeeperPostgres"]),
        .library(name: "StorekeeperServer", targets: ["StorekeeperServer"]),
        .library(name: "StorekeeperSimulator", targets: ["StorekeeperSimulator"]),
        .library(name: "StorekeeperAppStore", targets: ["StorekeeperAppStore"]),
        .library(name: "StorekeeperTesting", targets: ["StorekeeperTesting"]),
        .executable(name: "storekeeper", targets: ["StorekeeperCLI"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-certificates.git", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-asn1.git", from: "1.7.4"),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
        .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.10.0"),
        .package(url: "https://github.com/jpsim/Yams.git", from: "6.2.2"),
        .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-configuration.git", from: "1.4.0"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.6"),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache.git", from: "2.1.1"),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
        .package(url: "https://github.com/vapor/jwt-kit.git", from: "5.7.1"),
    ],
    targets: [
        .target(name: "StorekeeperEngine"),
        .target(name: "Storekeeper", dependencies: ["StorekeeperEngine"]),
        .target(
            name: "StorekeeperJWS",
            dependencies: [
                "StorekeeperEngine",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "X509", package: "swift-certificates"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
            ]
        ),
        .target(
            name: "StorekeeperSQLite",
            dependencies: [
                "Storekeeper",
                "StorekeeperDurable",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ]
        ),
        // libpq, loaded when a database is named.
        .target(name: "CPostgres", linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
        .target(
            name: "StorekeeperPostgres",
            dependencies: ["CPostgres", "Storekeeper", "StorekeeperDurable"]
        ),
        // What durable vaults have in common.
        .target(
            name: "StorekeeperDurable",
            dependencies: ["Storekeeper", .product(name: "Crypto", package: "swift-crypto")]
        ),
        .target(
            name: "StorekeeperSimulator",
            dependencies: ["Storekeeper", "StorekeeperJWS", .product(name: "Yams", package: "Yams")]
        ),
        .target(
            name: "StorekeeperAppStore",
            dependencies: [
                "Storekeeper",
                "StorekeeperJWS",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ]
        ),
        .target(
            name: "StorekeeperServer",
            dependencies: [
                "Storekeeper",
                "StorekeeperJWS",
                "StorekeeperAppStore",
                "StorekeeperSimulator",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HummingbirdTLS", package: "hummingbird"),
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Mustache", package: "swift-mustache"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ]
        ),
        .target(name: "StorekeeperTesting", dependencies: ["Storekeeper"]),
        .executableTarget(
            name: "StorekeeperCLI",
            dependencies: [
                "Storekeeper",
                "StorekeeperJWS",
                "StorekeeperSQLite",
                "StorekeeperPostgres",
                "StorekeeperAppStore",
                "StorekeeperServer",
                "StorekeeperSimulator",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "Yams", package: "Yams"),
            ]
        ),
        .testTarget(
            name: "StorekeeperTests", dependencies: ["StorekeeperEngine", "Storekeeper", "StorekeeperTesting"]),
        .testTarget(
            name: "StorekeeperJWSTests",
            dependencies: [
                "Storekeeper", "StorekeeperJWS", "StorekeeperTesting",
                .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),
        .testTarget(
            name: "StorekeeperSimulatorTests",
            dependencies: [
                "Storekeeper", "StorekeeperJWS", "StorekeeperSimulator", "StorekeeperTesting",
                .product(name: "Yams", package: "Yams"),
            ]
        ),
        .testTarget(
            name: "StorekeeperAppStoreTests",
            dependencies: [
                "Storekeeper", "StorekeeperAppStore", "StorekeeperJWS", "StorekeeperSQLite", "StorekeeperSimulator",
                "StorekeeperTesting",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]
        ),
        .testTarget(
            name: "StorekeeperServerTests",
            dependencies: [
                "Storekeeper", "StorekeeperAppStore", "StorekeeperJWS", "StorekeeperServer", "StorekeeperSimulator",
                "StorekeeperSQLite", "StorekeeperTesting",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "Yams", package: "Yams"),
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]
        ),
        // Made to be killed: the tests of vaults run it.
        .executableTarget(
            name: "VaultCrasher",
            dependencies: ["Storekeeper", "StorekeeperJWS", "StorekeeperSQLite", "StorekeeperTesting"],
            path: "Tests/VaultCrasher"
        ),
        .testTarget(
            name: "StorekeeperSQLiteTests",
            dependencies: [
                "Storekeeper", "StorekeeperDurable", "StorekeeperJWS", "StorekeeperSQLite", "StorekeeperTesting",
                "VaultCrasher",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ],
            resources: [.copy("Schemas")]
        ),
        // A node of a fleet, made to be killed, too.
        .executableTarget(
            name: "FleetNode",
            dependencies: ["Storekeeper", "StorekeeperPostgres", "StorekeeperTesting"],
            path: "Tests/FleetNode"
        ),
        .testTarget(
            name: "StorekeeperPostgresTests",
            dependencies: ["Storekeeper", "StorekeeperPostgres", "StorekeeperTesting", "FleetNode"]),
        .testTarget(
            name: "StorekeeperCLITests",
            dependencies: [
                "Storekeeper", "StorekeeperAppStore", "StorekeeperJWS", "StorekeeperPostgres", "StorekeeperSimulator",
                "StorekeeperTesting",
                "StorekeeperCLI", "StorekeeperServer",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)

let houseSettings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatWarning("ExplicitSendable", as: .error),
]
/// With `STOREKEEPER_STRICT=1` a warning in our own code fails the build; code we depend on keeps its warnings.
let strictSettings: [SwiftSetting] =
    Context.environment["STOREKEEPER_STRICT"] == "1" ? [.treatAllWarnings(as: .error)] : []
for target in package.targets where [.regular, .executable, .test].contains(target.type) {
    target.swiftSettings = (target.swiftSettings ?? []) + strictSettings + houseSettings
}
