// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "EvidenceMaker",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "storekeeper", path: "../.."),
        .package(url: "https://github.com/jpsim/Yams.git", from: "6.2.2"),
    ],
    targets: [
        .executableTarget(
            name: "EvidenceMaker",
            dependencies: [
                .product(name: "Storekeeper", package: "storekeeper"),
                .product(name: "StorekeeperJWS", package: "storekeeper"),
                .product(name: "StorekeeperTesting", package: "storekeeper"),
                .product(name: "Yams", package: "Yams"),
            ],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
