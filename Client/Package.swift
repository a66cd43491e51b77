// swift-tools-version: 6.2
import PackageDescription

// The client library as a package that needs no other, for apps and tools that buy from a store. The targets are links
// to folders that the whole package builds too.

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

var products: [Product] = [
    .library(name: "StoreKitClient", targets: ["StoreKitClient"]),
    .library(name: "StoreKitTestClient", targets: ["StoreKitTestClient"]),
    .library(name: "StoreKitTesting", targets: ["StoreKitTesting"]),
]
var targets: [Target] = [
    .systemLibrary(name: "CStoreKit", path: "CStoreKit"),
    .target(name: "JSONSyntax", path: "JSONSyntax", swiftSettings: settings),
    .target(name: "StoreModels", dependencies: ["JSONSyntax"], path: "StoreModels", swiftSettings: settings),
    .target(name: "StoreHTTP", dependencies: ["StoreModels"], path: "StoreHTTP", swiftSettings: settings),
    // Where the system has CryptoKit, nothing else verifies signatures.
    .systemLibrary(
        name: "COpenSSL", path: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
    .target(
        name: "SignedData",
        dependencies: [.target(name: "COpenSSL", condition: .when(platforms: [.linux])), "StoreModels"],
        path: "SignedData", swiftSettings: settings),
    .target(
        name: "StoreKitClient", dependencies: ["CStoreKit", "SignedData", "StoreHTTP", "StoreModels"],
        path: "StoreKitClient",
        exclude: ["README.md"], swiftSettings: settings),
    .target(
        name: "StoreKitTestClient", dependencies: ["StoreHTTP", "StoreKitClient", "StoreModels"],
        path: "StoreKitTestClient", exclude: ["README.md"], swiftSettings: settings),
    // A module of its own, because it imports Swift Testing.
    .target(
        name: "StoreKitTesting", dependencies: ["StoreKitTestClient"], path: "StoreKitTesting",
        swiftSettings: settings),
]

// Where the system has a StoreKit, modules of these names would hide it.
#if os(Linux)
    products += [
        .library(name: "StoreKit", targets: ["StoreKit"]), .library(name: "StoreKitTest", targets: ["StoreKitTest"]),
    ]
    targets += [
        .target(name: "StoreKit", dependencies: ["StoreKitClient"], path: "StoreKit", swiftSettings: settings),
        .target(
            name: "StoreKitTest", dependencies: ["StoreKit", "StoreKitTestClient"], path: "StoreKitTest",
            swiftSettings: settings),
    ]
#endif

let package = Package(
    name: "StoreKitClient",
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: products,
    targets: targets
)
