// swift-tools-version: 6.2
import PackageDescription

// A package that depends on this one with `traits: []` downloads no other package. Each trait adds the libraries that it
// names, and the packages that they need.
let jws = TargetDependencyCondition.when(traits: ["JWS"])
let durable = TargetDependencyCondition.when(traits: ["SQLite", "Postgres"])
let simulator = TargetDependencyCondition.when(traits: ["Simulator"])
let appStore = TargetDependencyCondition.when(traits: ["AppStore"])
let server = TargetDependencyCondition.when(traits: ["Server"])
let commandLine = TargetDependencyCondition.when(traits: ["CommandLine"])

// The commit of a release and its day, which Scripts/package.sh gives. A C target contains them, because only C can be
// compiled with text from outside.
let build = Context.environment["STOREKEEPER_BUILD"] ?? ""

let package = Package(
    name: "storekeeper",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "StorekeeperEngine", targets: ["StorekeeperEngine"]),
        .library(name: "Storekeeper", targets: ["Storekeeper"]),
        .library(name: "StorekeeperKit", targets: ["StorekeeperKit"]),
        .library(name: "StorekeeperCharts", targets: ["StorekeeperCharts"]),
        .library(name: "StorekeeperJWS", targets: ["StorekeeperJWS"]),
        .library(name: "StorekeeperSQLite", targets: ["StorekeeperSQLite"]),
        .library(name: "StorekeeperPostgres", targets: ["StorekeeperPostgres"]),
        .library(name: "StorekeeperCompanion", targets: ["StorekeeperCompanion"]),
        .library(name: "StorekeeperSimulator", targets: ["StorekeeperSimulator"]),
        .library(name: "StorekeeperAppStore", targets: ["StorekeeperAppStore"]),
        .library(name: "StorekeeperTesting", targets: ["StorekeeperTesting"]),
        .executable(name: "storekeeper", targets: ["StorekeeperCLI"]),
    ],
    traits: [
        .trait(name: "JWS", description: "StorekeeperJWS verifies signatures."),
        .trait(name: "SQLite", description: "StorekeeperSQLite keeps a vault in a file."),
        .trait(name: "Postgres", description: "StorekeeperPostgres keeps a vault in a PostgreSQL database."),
        .trait(
            name: "Simulator", description: "StorekeeperSimulator is an App Store for tests.",
            enabledTraits: ["JWS"]),
        .trait(
            name: "AppStore", description: "StorekeeperAppStore is a client of the App Store Server API.",
            enabledTraits: ["JWS"]),
        .trait(
            name: "Server", description: "StorekeeperCompanion answers other servers over HTTP.",
            enabledTraits: ["AppStore"]),
        .trait(
            name: "CommandLine", description: "The program storekeeper, with all of the above.",
            enabledTraits: ["Postgres", "SQLite", "Server", "Simulator"]),
        .default(enabledTraits: ["CommandLine"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-certificates.git", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-asn1.git", from: "1.7.4"),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
        .package(url: "https://github.com/jpsim/Yams.git", from: "6.2.2"),
        .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.7.3"),
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
        // Without its trait a module has none of its packages, and each of its files would fail. It depends on one of these
        // targets, which fails first, with one error that names the trait.
        .target(name: "NeedsJWS", path: "Sources/Traits/JWS"),
        .target(name: "NeedsSQLiteOrPostgres", path: "Sources/Traits/SQLiteOrPostgres"),
        .target(name: "NeedsSimulator", path: "Sources/Traits/Simulator"),
        .target(name: "NeedsAppStore", path: "Sources/Traits/AppStore"),
        .target(name: "NeedsServer", path: "Sources/Traits/Server"),
        .target(name: "StorekeeperEngine"),
        .target(name: "Storekeeper", dependencies: ["StorekeeperEngine"]),
        // StoreKit's own names.
        .target(name: "StorekeeperKit", dependencies: ["Storekeeper"]),
        .target(name: "StorekeeperCharts", dependencies: ["StorekeeperEngine"]),
        .target(
            name: "StorekeeperJWS",
            dependencies: [
                "NeedsJWS",
                "StorekeeperEngine",
                .product(name: "Crypto", package: "swift-crypto", condition: jws),
                .product(name: "CryptoExtras", package: "swift-crypto", condition: jws),
                .product(name: "X509", package: "swift-certificates", condition: jws),
                .product(name: "SwiftASN1", package: "swift-asn1", condition: jws),
            ]
        ),
        .target(name: "StorekeeperSQLite", dependencies: ["CLibsqlite3", "Storekeeper", "StorekeeperDurable"]),
        // The system's SQLite.
        .systemLibrary(
            name: "CLibsqlite3", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]),
        .target(name: "CBuild", cSettings: build.isEmpty ? [] : [.define("STOREKEEPER_BUILD", to: "\"\(build)\"")]),
        // libpq, loaded when a database is named.
        .target(name: "CPostgres", linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
        .target(
            name: "StorekeeperPostgres",
            dependencies: ["CPostgres", "Storekeeper", "StorekeeperDurable"]
        ),
        // What durable vaults have in common.
        .target(
            name: "StorekeeperDurable",
            dependencies: [
                "NeedsSQLiteOrPostgres", "Storekeeper",
                .product(name: "Crypto", package: "swift-crypto", condition: durable),
            ]
        ),
        .target(
            name: "StorekeeperSimulator",
            dependencies: [
                "NeedsSimulator", "Storekeeper", "StorekeeperCharts", "StorekeeperJWS",
                .product(name: "Crypto", package: "swift-crypto", condition: simulator),
                .product(name: "Yams", package: "Yams", condition: simulator),
            ]
        ),
        .target(
            name: "StorekeeperAppStore",
            dependencies: [
                "NeedsAppStore",
                "Storekeeper",
                "StorekeeperJWS",
                .product(name: "AsyncHTTPClient", package: "async-http-client", condition: appStore),
                .product(name: "Crypto", package: "swift-crypto", condition: appStore),
                .product(name: "JWTKit", package: "jwt-kit", condition: appStore),
                .product(name: "Logging", package: "swift-log", condition: appStore),
                .product(name: "Metrics", package: "swift-metrics", condition: appStore),
                .product(name: "NIOCore", package: "swift-nio", condition: appStore),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: appStore),
                .product(name: "NIOPosix", package: "swift-nio", condition: appStore),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: appStore),
                .product(name: "Tracing", package: "swift-distributed-tracing", condition: appStore),
            ]
        ),
        // What the companion service and the local App Store share: parts of pages, and the descriptions of their APIs.
        .target(
            name: "StorekeeperPages",
            dependencies: [
                "NeedsServer",
                "Storekeeper",
                "StorekeeperAppStore",
                "StorekeeperCharts",
                .product(name: "HTTPTypes", package: "swift-http-types", condition: server),
                .product(name: "Mustache", package: "swift-mustache", condition: server),
                .product(name: "NIOCore", package: "swift-nio", condition: server),
            ]
        ),
        .target(
            name: "StorekeeperCompanion",
            dependencies: [
                "NeedsServer",
                "Storekeeper",
                "StorekeeperAppStore",
                "StorekeeperCharts",
                "StorekeeperJWS",
                "StorekeeperPages",
                .product(name: "Crypto", package: "swift-crypto", condition: server),
                .product(name: "HTTPTypes", package: "swift-http-types", condition: server),
                .product(name: "Hummingbird", package: "hummingbird", condition: server),
                .product(name: "HummingbirdCore", package: "hummingbird", condition: server),
                .product(name: "HummingbirdTLS", package: "hummingbird", condition: server),
                .product(name: "JWTKit", package: "jwt-kit", condition: server),
                .product(name: "Logging", package: "swift-log", condition: server),
                .product(name: "CoreMetrics", package: "swift-metrics", condition: server),
                .product(name: "NIOCore", package: "swift-nio", condition: server),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras", condition: server),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: server),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: server),
                .product(name: "Tracing", package: "swift-distributed-tracing", condition: server),
                .product(name: "UnixSignals", package: "swift-service-lifecycle", condition: server),
            ],
            // A program of one file has no bundle.
            resources: [.embedInCode("Desk/DeskTexts.txt")]
        ),
        .target(
            name: "StorekeeperLocalStore",
            dependencies: [
                "NeedsServer",
                "Storekeeper",
                "StorekeeperAppStore",
                "StorekeeperCharts",
                "StorekeeperJWS",
                "StorekeeperPages",
                "StorekeeperSimulator",
                .product(name: "AsyncHTTPClient", package: "async-http-client", condition: server),
                .product(name: "HTTPTypes", package: "swift-http-types", condition: server),
                .product(name: "Hummingbird", package: "hummingbird", condition: server),
                .product(name: "JWTKit", package: "jwt-kit", condition: server),
                .product(name: "Logging", package: "swift-log", condition: server),
                .product(name: "NIOCore", package: "swift-nio", condition: server),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: server),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: server),
                .product(name: "UnixSignals", package: "swift-service-lifecycle", condition: server),
            ]
        ),
        .target(name: "StorekeeperTesting", dependencies: ["Storekeeper"]),
        .executableTarget(
            name: "StorekeeperCLI",
            dependencies: [
                "CBuild",
                "Storekeeper",
                "StorekeeperCharts",
                "StorekeeperJWS",
                "StorekeeperDurable",
                "StorekeeperSQLite",
                "StorekeeperPostgres",
                "StorekeeperAppStore",
                "StorekeeperCompanion",
                "StorekeeperLocalStore",
                "StorekeeperPages",
                "StorekeeperSimulator",
                .product(name: "ArgumentParser", package: "swift-argument-parser", condition: commandLine),
                .product(name: "CoreMetrics", package: "swift-metrics", condition: commandLine),
                .product(name: "Crypto", package: "swift-crypto", condition: commandLine),
                .product(name: "Logging", package: "swift-log", condition: commandLine),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: commandLine),
                .product(name: "Yams", package: "Yams", condition: commandLine),
            ]
        ),
        .testTarget(
            name: "StorekeeperTests",
            dependencies: ["StorekeeperEngine", "Storekeeper", "StorekeeperCharts", "StorekeeperTesting"],
            exclude: ["Localization/samples.tsv"]),
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
            name: "StorekeeperKitTests",
            dependencies: ["Storekeeper", "StorekeeperJWS", "StorekeeperKit", "StorekeeperSimulator"]),
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
                "Storekeeper", "StorekeeperAppStore", "StorekeeperCLI", "StorekeeperCompanion", "StorekeeperJWS",
                "StorekeeperLocalStore", "StorekeeperCharts", "StorekeeperPages", "StorekeeperSimulator",
                "StorekeeperSQLite", "StorekeeperTesting",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
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
                "CLibsqlite3", "Storekeeper", "StorekeeperDurable", "StorekeeperJWS", "StorekeeperSQLite",
                "StorekeeperTesting", "VaultCrasher",
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
            dependencies: [
                "Storekeeper", "StorekeeperDurable", "StorekeeperPostgres", "StorekeeperTesting", "FleetNode",
            ]),
        .testTarget(
            name: "StorekeeperCLITests",
            dependencies: [
                "CLibsqlite3", "Storekeeper", "StorekeeperAppStore", "StorekeeperJWS", "StorekeeperPostgres",
                "StorekeeperSimulator", "StorekeeperTesting",
                "StorekeeperCLI", "StorekeeperCompanion",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]
        ),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "CLibsqlite3", "Storekeeper", "StorekeeperAppStore", "StorekeeperJWS", "StorekeeperPostgres",
                "StorekeeperSQLite", "StorekeeperTesting",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            path: "Benchmarks/Sources/Benchmarks"
        ),
        // The endpoint with which Scripts/service-load.sh compares the companion service.
        .executableTarget(
            name: "ServiceLoad",
            dependencies: [
                "Storekeeper", "StorekeeperSQLite", "StorekeeperTesting",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            path: "Benchmarks/Sources/ServiceLoad"
        ),
    ],
    swiftLanguageModes: [.v6]
)

// The library for other languages. Its functions are declared in a header of C and defined in Swift, which compilers before
// 6.3 cannot do.
#if compiler(>=6.3)
    package.products.append(.library(name: "StorekeeperC", type: .dynamic, targets: ["StorekeeperC"]))
    package.targets += [
        .target(name: "CStorekeeper"),
        .target(
            name: "StorekeeperC",
            dependencies: [
                "CStorekeeper", "Storekeeper", "StorekeeperAppStore", "StorekeeperCharts", "StorekeeperJWS",
                "StorekeeperPostgres", "StorekeeperSQLite", "StorekeeperSimulator",
            ],
            // SwiftPM's option --static-swift-stdlib compiles for the static runtime, but does not link it into a library.
            linkerSettings: Context.environment["STOREKEEPER_STATIC_RUNTIME"] == "1"
                ? [.unsafeFlags(["-static-stdlib"])] : []),
    ]
    for target in package.targets where target.name == "Benchmarks" {
        target.dependencies += ["CStorekeeper", "StorekeeperC"]
    }
#endif

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
// `make quick` builds and runs one test target, so that a change of one file does not link, or wait for, the others.
if let only = Context.environment["STOREKEEPER_TEST_TARGET"] {
    package.targets.removeAll { $0.type == .test && $0.name != only }
}
for target in package.targets where [.regular, .executable, .test].contains(target.type) {
    target.swiftSettings = (target.swiftSettings ?? []) + strictSettings + houseSettings
}
