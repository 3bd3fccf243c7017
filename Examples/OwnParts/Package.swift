// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "own-parts",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "storekeeper", path: "../..")],
    targets: [
        .target(name: "DropFolder", dependencies: [.product(name: "Storekeeper", package: "storekeeper")]),
        .testTarget(
            name: "OwnPartsTests",
            dependencies: [
                "DropFolder",
                .product(name: "Storekeeper", package: "storekeeper"),
                .product(name: "StorekeeperTesting", package: "storekeeper"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)
