// swift-tools-version: 6.2
import PackageDescription

// Scripts/article-code.py copies this manifest to .build/articles, together with the code of the articles.
let package = Package(
    name: "articles",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "storekeeper", path: "../..")],
    targets: [
        .testTarget(
            name: "ArticlesTests",
            dependencies: [
                "StorekeeperEngine", "Storekeeper", "StorekeeperJWS", "StorekeeperSQLite", "StorekeeperPostgres",
                "StorekeeperAppStore", "StorekeeperCharts", "StorekeeperKit", "StorekeeperSimulator",
                "StorekeeperTesting",
            ].map { .product(name: $0, package: "storekeeper") }
        )
    ],
    swiftLanguageModes: [.v6]
)
