// swift-tools-version: 6.2
import PackageDescription

// An app that has the client library and nothing else of the store: `scripts/client-package` builds and runs it.
let package = Package(
    name: "ClientApp",
    dependencies: [.package(path: "../../Client")],
    targets: [
        .executableTarget(
            name: "ClientApp", dependencies: [.product(name: "StoreKit", package: "Client")],
            swiftSettings: [.swiftLanguageMode(.v6)])
    ]
)
