// swift-tools-version: 6.2
import PackageDescription

// Continuous integration turns warnings into errors. A newer toolchain that adds a warning must not break a user's
// build.
let warningsAsErrors: [SwiftSetting] = Context.environment["CI"] == nil ? [] : [.treatAllWarnings(as: .error)]
// Every target of ours is built with the same settings.
let settings: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ] + warningsAsErrors

/// A library that several executables share, in `Shared/`.
func shared(
    _ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = [], resources: [Resource] = [],
    more: [SwiftSetting] = []
) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Shared/\(name)", exclude: exclude, resources: resources,
        swiftSettings: settings + more)
}

/// A service: a library at `Services/<name>` and, inside it, an executable of a few lines. The library can be tested
/// without a process. The executable only starts it.
///
/// - Parameter more: Settings besides those of every target.
func service(
    _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = [], resources: [Resource] = [],
    more: [SwiftSetting] = []
) -> [Target] {
    [
        .target(
            name: name, dependencies: dependencies, path: "Services/\(name)",
            exclude: ["Executable", "README.md"] + exclude, resources: resources,
            swiftSettings: settings + more),
        .executableTarget(
            name: "\(name)Main",
            dependencies: [.target(name: name), "Operations", "StoreModels", argumentParser],
            path: "Services/\(name)/Executable", swiftSettings: settings),
    ]
}

/// Debug builds crash at the point `STOREBUS_FAIL` names. Release builds contain no failpoints.
let failpoints: [SwiftSetting] = [.define("FAILPOINTS", .when(configuration: .debug))]

/// The tests of one module, in `Tests/<name>Tests`.
func tests(
    _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = [], resources: [Resource] = []
) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: dependencies, path: "Tests/\(name)Tests", exclude: exclude,
        resources: resources, swiftSettings: settings)
}

let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let configuration: Target.Dependency = .product(name: "Configuration", package: "swift-configuration")
let deque: Target.Dependency = .product(name: "DequeModule", package: "swift-collections")
let heap: Target.Dependency = .product(name: "HeapModule", package: "swift-collections")
let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
let hummingbird: Target.Dependency = .product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore: Target.Dependency = .product(name: "HummingbirdCore", package: "hummingbird")
let lifecycle: Target.Dependency = .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let swiftASN1: Target.Dependency = .product(name: "SwiftASN1", package: "swift-asn1")
let unixSignals: Target.Dependency = .product(name: "UnixSignals", package: "swift-service-lifecycle")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let metrics: Target.Dependency = .product(name: "Metrics", package: "swift-metrics")
let coreMetrics: Target.Dependency = .product(name: "CoreMetrics", package: "swift-metrics")
let tracing: Target.Dependency = .product(name: "Tracing", package: "swift-distributed-tracing")
let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let nioHTTP1: Target.Dependency = .product(name: "NIOHTTP1", package: "swift-nio")
let nioPosix: Target.Dependency = .product(name: "NIOPosix", package: "swift-nio")

/// What each service library needs to speak on the bus.
let busService: [Target.Dependency] = ["EventLoop", "StoreModels", "BusService", logging]

var targets: [Target] = [
    .systemLibrary(name: "CLibUV", path: "Shared/CLibUV", pkgConfig: "libuv", providers: [.apt(["libuv1-dev"])]),
    .systemLibrary(
        name: "CCurl", path: "Shared/CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "CNATS", path: "Shared/CNATS", pkgConfig: "libnats", providers: [.apt(["libnats-dev"])]),
    .systemLibrary(
        name: "CPostgres", path: "Shared/CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    .systemLibrary(
        name: "CQREncode", path: "Shared/CQREncode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
    .systemLibrary(
        name: "COpenSSL", path: "Shared/COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CYAML", path: "Shared/CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
    .systemLibrary(name: "CStoreKit", path: "Shared/CStoreKit"),
    .systemLibrary(
        name: "CSQLite", path: "Shared/CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    shared("EventLoop", ["CLibUV", "COpenSSL", deque]),
    shared("CurlLoop", ["CCurl", "EventLoop", "StoreModels"]),
    shared("JSONSyntax"),
    shared("PlantedBugs", more: [.define("PLANTED_BUGS", .when(configuration: .debug))]),
    shared("StoreModels", ["JSONSyntax"]),
    shared("StoreHTTP", ["StoreModels"]),
    shared("BusProtocol", ["JSONSyntax"]),
    shared("BusClient", ["EventLoop", "BusProtocol", logging, deque, heap]),
    shared("NATSClient", ["CNATS", "BusClient", "BusProtocol", "EventLoop", logging]),
    shared(
        "BusService", ["BusClient", "BusProtocol", "EventLoop", "StoreModels", logging, metrics, lifecycle, tracing]),
    shared("Persistence", ["EventLoop", "PlantedBugs", "CSQLite", "CPostgres", logging, lifecycle, deque]),
    shared(
        "Operations",
        [
            "EventLoop", "BusClient", "BusService", "BusProtocol", "NATSClient", "PlantedBugs", "StoreModels", logging,
            metrics, coreMetrics, lifecycle, unixSignals, configuration, argumentParser, tracing,
        ]),
    shared(
        "ServiceDatabase", ["BusService", "EventLoop", "Operations", "Persistence", "StoreModels", logging, lifecycle]),
    shared("Cryptography", ["COpenSSL"]),
    shared("Signing", ["Cryptography", "StoreModels", swiftASN1]),
    shared("SignedData", [.target(name: "COpenSSL", condition: .when(platforms: [.linux])), "StoreModels"]),
    shared("StoreKitClient", ["CStoreKit", "SignedData", "StoreHTTP", "StoreModels"], exclude: ["README.md"]),
    shared("StoreKitTestClient", ["StoreHTTP", "StoreKitClient", "StoreModels"], exclude: ["README.md"]),
    shared("StoreKitTesting", ["StoreKitTestClient"]),
    shared("StorebusTesting", ["Cryptography", "StoreModels", "EventLoop", "Persistence", logging]),
    shared("ServiceTesting", ["BusClient", "BusService", "EventLoop", "Persistence", "StoreModels", logging]),
    tests("EventLoop", ["EventLoop", "StorebusTesting"]),
    tests("StoreModels", ["StoreModels", "StorebusTesting"]),
    tests("StoreHTTP", ["StoreHTTP", "StoreModels", "StorebusTesting"]),
    tests("BusProtocol", ["BusProtocol", "StorebusTesting"]),
    tests(
        "BusClient",
        [
            "BusClient", "BusProtocol", "BusService", "EventLoop", "NATSClient", "Broker", "StoreModels",
            "StorebusTesting", logging, lifecycle,
        ]),
    tests(
        "BusService",
        [
            "BusService", "BusClient", "BusProtocol", "EventLoop", "Broker", "StoreModels", "StorebusTesting", logging,
            lifecycle, tracing,
        ]),
    tests("Persistence", ["Persistence", "EventLoop", "StorebusTesting", logging]),
    tests(
        "ServiceDatabase",
        [
            "ServiceDatabase", "BusClient", "BusService", "EventLoop", "Persistence", "ServiceTesting", "StoreModels",
            "StorebusTesting", "Catalog", "Gateway", "GatewayEdge", "AppStoreServer", "PaymentProcessor",
            "PaymentQueue", "PromotionController", logging, lifecycle,
        ]),
    tests(
        "Operations",
        ["Operations", "BusClient", "EventLoop", "StorebusTesting", logging, coreMetrics, lifecycle, argumentParser]),
    tests("Cryptography", ["Cryptography"]),
    tests("Signing", ["Cryptography", "Signing", "StoreModels", "StorebusTesting", swiftASN1]),
    tests("SignedData", ["Cryptography", "SignedData", "Signing", "StoreModels"]),
    tests(
        "StoreKitClient", ["StoreKitClient", "SignedData", "Signing", "StoreHTTP", "StoreModels", "StorebusTesting"]),
    tests("Broker", ["Broker", "BusProtocol", "EventLoop", "StoreModels", "StorebusTesting", logging]),
    tests(
        "Catalog",
        [
            "Catalog", "StoreModels", "BusClient", "BusService", "EventLoop", "Persistence", "ServiceDatabase",
            "ServiceTesting", "StorebusTesting", logging,
        ]),
    tests(
        "PaymentQueue",
        [
            "PaymentQueue", "PaymentProcessor", "StoreModels", "BusClient", "BusService", "EventLoop", "Operations",
            "Persistence", "ServiceDatabase", "ServiceTesting", "StorebusTesting", logging,
        ]),
    tests(
        "PaymentProcessor",
        [
            "PaymentProcessor", "StoreModels", "BusClient", "BusService", "EventLoop", "Persistence", "StorebusTesting",
            logging,
        ]),
    tests(
        "PromotionController",
        [
            "PromotionController", "StoreModels", "BusClient", "BusService", "EventLoop", "Persistence",
            "ServiceDatabase", "ServiceTesting", "StorebusTesting", logging,
        ]),
    tests(
        "AppStoreServer",
        [
            "AppStoreServer", "BusClient", "StoreHTTP", "StoreModels", "BusService", "EventLoop", "Persistence",
            "ServiceTesting", "Signing", "StorebusTesting", "Cryptography", logging,
        ]),
    tests("Eligibility", ["Eligibility", "StoreModels", "BusClient", "BusService", "EventLoop", "StorebusTesting"]),
    tests(
        "Gateway",
        [
            "Gateway", "GatewayEdge", "AppAPI", "OperatorAPI", "AppStoreServer", "Broker", "StoreHTTP", "StoreModels",
            "BusClient", "BusProtocol", "BusService",
            "EventLoop", "Operations", "CurlLoop", "Persistence", "ServiceDatabase", "ServiceTesting", "Signing",
            "StorebusTesting", hummingbird, nioCore,
            nioHTTP1, nioPosix, .product(name: "NIOEmbedded", package: "swift-nio"), httpTypes, lifecycle, logging,
            "Cryptography",
        ]),
    tests(
        "Storebus",
        [
            "Storebus", "Broker", "BusClient", "BusProtocol", "BusService", "Chaos", "EventLoop", "NATSClient",
            "Signing",
            "StoreHTTP", "StoreModels", "StorebusTesting", argumentParser, "Cryptography", logging,
        ]),
    tests(
        "Chaos", ["Chaos", "StoreHTTP", "StoreModels", "StorebusTesting"],
        exclude: ["ScriptedRun.json", "ScriptedRun.md"]),
    // Runs of real processes against the clock; a module of its own, so that no other test runs beside them.
    tests("PlantedBug", ["StoreModels", "StorebusTesting"]),
    // The money path on one thread, in an order that a seed decides; a module of its own, because hashes are fixed in its
    // process, and because a planted bug is a process's.
    .testTarget(
        name: "Simulation",
        dependencies: [
            "EventLoop", "PaymentProcessor", "PaymentQueue", "Persistence", "PlantedBugs", "StoreModels",
            "StorebusTesting", lifecycle, logging,
        ],
        path: "Tests/Simulation", swiftSettings: settings),
    .testTarget(
        name: "Scenarios",
        dependencies: [
            "StorebusTesting", "StoreHTTP", "StoreModels", "StoreKitClient", "EventLoop", "BusClient", "BusService",
            "CurlLoop", "NATSClient", "Persistence", "Cryptography", nioHTTP1, logging,
        ],
        path: "Tests/Scenarios", exclude: ["StoreKit2Life.txt"], swiftSettings: settings),
    // The documents' listings, compiled as an app in Swift 6 mode is: `Error?` there is no `any Error`.
    .testTarget(
        name: "Listings", dependencies: ["StoreKitClient", "StoreModels", "StorebusTesting"], path: "Tests/Listings",
        exclude: ["Blocks", "Frames", "README.md"],
        swiftSettings: [.swiftLanguageMode(.v6)] + warningsAsErrors),
]
targets += service("Broker", ["EventLoop", "BusProtocol", logging, lifecycle])
targets += service(
    "Catalog", busService + ["Persistence", "ServiceDatabase", "Operations", "Cryptography", lifecycle],
    resources: [.embedInCode("Resources/storefronts.json"), .embedInCode("Resources/Sample.storekit")])
targets += service(
    "PaymentQueue",
    busService + [
        "BusClient", "PlantedBugs", "Persistence", "ServiceDatabase", "Operations", "Cryptography", lifecycle, metrics,
    ], more: failpoints)
targets += service(
    "PaymentProcessor", busService + ["Persistence", "ServiceDatabase", "Operations", lifecycle, metrics])
targets += service(
    "PromotionController",
    busService + ["PlantedBugs", "Persistence", "ServiceDatabase", "Operations", "Cryptography", lifecycle])
targets += service(
    "AppStoreServer",
    busService + [
        "BusClient", "CurlLoop", "PlantedBugs", "Persistence", "ServiceDatabase", "Operations", "Signing", "StoreHTTP",
        "Cryptography", lifecycle, metrics,
    ])
targets += service("Eligibility", busService + ["BusClient", "PlantedBugs"])
// openapi.json as C's #embed compiles it, in no time; as an array literal of Swift it took two minutes of a core.
targets.append(.target(name: "COpenAPI", path: "Services/Gateway/Resources", exclude: ["openapi.json"]))
// The web console's files likewise; scripts/console-files writes their list.
targets.append(.target(name: "CConsole", path: "Services/Gateway/ConsoleFiles"))
// The gateway's library composes three modules: what all areas of the API share, and the areas for each kind of caller.
let gatewayEdge =
    busService + [
        "BusClient", "PlantedBugs", "Persistence", "ServiceDatabase", "Signing", "StoreHTTP", "Operations", hummingbird,
        hummingbirdCore, nioCore, nioHTTP1, nioPosix, httpTypes, "Cryptography", lifecycle, metrics,
    ]
let appAPI =
    busService + [
        "GatewayEdge", "BusClient", "CQREncode", "PlantedBugs", "Signing", "StoreHTTP", hummingbird, nioCore, httpTypes,
        "Cryptography", metrics,
    ]
let operatorAPI =
    busService + [
        "GatewayEdge", "BusClient", "CConsole", "COpenAPI", "Persistence", "ServiceDatabase", "StoreHTTP", hummingbird,
        nioCore, httpTypes, "Cryptography", lifecycle, metrics,
    ]
targets += [
    .target(name: "GatewayEdge", dependencies: gatewayEdge, path: "Services/Gateway/Edge", swiftSettings: settings),
    .target(name: "AppAPI", dependencies: appAPI, path: "Services/Gateway/App", swiftSettings: settings),
    .target(name: "OperatorAPI", dependencies: operatorAPI, path: "Services/Gateway/Operator", swiftSettings: settings),
]
targets += service(
    "Gateway",
    busService + [
        "AppAPI", "GatewayEdge", "OperatorAPI", "BusClient", "Persistence", "ServiceDatabase", "Signing", "Operations",
        lifecycle,
    ], exclude: ["App", "Console", "ConsoleFiles", "Edge", "Operator", "Resources"])
// The command line speaks HTTP with the gateway and starts processes; `storebus bus …` joins the bus as a service does.
targets += [
    .systemLibrary(name: "CProcess", path: "Shared/CProcess"),
    .target(name: "Chaos", dependencies: ["StoreHTTP", "StoreModels"], path: "Tools/Chaos", swiftSettings: settings),
    .target(
        name: "Storebus",
        dependencies: [
            "Chaos", "CProcess", "CurlLoop", "CYAML", "StoreHTTP", "StoreModels", "BusClient", "BusProtocol",
            "BusService",
            "EventLoop", "NATSClient", "Signing", "Cryptography", argumentParser, logging,
        ],
        path: "Tools/storebus", exclude: ["Executable", "README.md"],
        resources: [.embedInCode("Resources/users.json")],
        // Optimized, it would be a sixth of the whole build, for commands that wait (ADR 0067).
        swiftSettings: settings + [.unsafeFlags(["-Onone"], .when(configuration: .release))]),
    .executableTarget(
        name: "StorebusMain", dependencies: ["Storebus"], path: "Tools/storebus/Executable", swiftSettings: settings),
]

// The documents' sample app, in a terminal: what an app has to write, and nothing that is ours but the client library.
targets += [
    .executableTarget(
        name: "InAppPurchases", dependencies: ["StoreKitClient"], path: "Examples/InAppPurchases",
        exclude: ["README.md"],
        resources: [.copy("Products.plist")], swiftSettings: settings),
    .testTarget(
        name: "InAppPurchasesTests", dependencies: ["InAppPurchases", "EventLoop", "StoreModels", "StorebusTesting"],
        path: "Tests/InAppPurchasesTests", swiftSettings: settings),
]

// The spike of the event loops (docs/adr/0002): part of no product and of no plain build. `make spike` sets the
// variable.
if Context.environment["STOREBUS_SPIKE"] != nil {
    targets.append(
        .executableTarget(
            name: "LoopSpike",
            dependencies: ["EventLoop", "BusClient", "Broker", hummingbird, nioCore, nioPosix, logging],
            path: "Tests/Benchmarks/LoopSpike", exclude: ["measure"], swiftSettings: settings))
}

// What `make bench`, `make bench-bus`, `make bench-subscriptions`, `make bench-store-page` and `make bench-notifications`
// measure with: part of no plain build. The targets set the variable.
if Context.environment["STOREBUS_BENCH"] != nil {
    targets.append(
        .executableTarget(
            name: "BusBench", dependencies: ["BusClient", "EventLoop", logging], path: "Tests/Benchmarks/BusBench",
            swiftSettings: settings))
    targets.append(
        .executableTarget(
            name: "BusLoad", dependencies: ["COpenSSL"], path: "Tests/Benchmarks/BusLoad", swiftSettings: settings))
    targets.append(
        .executableTarget(
            name: "StoreBench", dependencies: ["BusClient", "BusService", "EventLoop", "StoreModels", logging],
            path: "Tests/Benchmarks/StoreBench", swiftSettings: settings))
    targets.append(
        .executableTarget(
            name: "BareRoute", dependencies: [hummingbird, nioCore, nioPosix, httpTypes, logging],
            path: "Tests/Benchmarks/BareRoute", swiftSettings: settings))
    targets.append(
        .executableTarget(
            name: "BareDelivery", dependencies: ["CCurl"], path: "Tests/Benchmarks/BareDelivery",
            swiftSettings: settings))
}

// What `make fuzz` runs (Tests/Fuzz): part of no plain build. The protocol and the broker are then built so that
// libFuzzer sees which branches an input takes, and so that the broker's own types can be tested in an optimized build.
if Context.environment["STOREBUS_FUZZ"] != nil {
    let sanitizers = ["-sanitize=fuzzer,address"]
    for target in targets where ["JSONSyntax", "BusProtocol", "Broker"].contains(target.name) {
        target.swiftSettings = settings + [.unsafeFlags(sanitizers + ["-enable-testing"])]
    }
    targets.append(
        .executableTarget(
            name: "Fuzz", dependencies: ["BusProtocol", "Broker"], path: "Tests/Fuzz",
            exclude: ["Corpus", "fuzz", "sbp.dict"], swiftSettings: settings + [.unsafeFlags(sanitizers)],
            // The default linker cannot read the sanitizers' debugging sections.
            linkerSettings: [.unsafeFlags(sanitizers + ["-use-ld=lld"])]))
}

// Where the system has a StoreKit, modules of these names would hide it. They are in the client's own package, too.
#if os(Linux)
    targets += [
        .target(name: "StoreKit", dependencies: ["StoreKitClient"], path: "Client/StoreKit", swiftSettings: settings),
        .target(
            name: "StoreKitTest", dependencies: ["StoreKit", "StoreKitTestClient"], path: "Client/StoreKitTest",
            swiftSettings: settings),
    ]
    let clients = ["StoreKit", "StoreKitClient", "StoreKitTest", "StoreKitTestClient", "StoreKitTesting"]
#else
    let clients = ["StoreKitClient", "StoreKitTestClient", "StoreKitTesting"]
#endif

/// One product for each executable, under the name compose and `$SRV` use.
let executables = [
    "broker": "BrokerMain", "catalog": "CatalogMain", "payment-queue": "PaymentQueueMain",
    "promotion-controller": "PromotionControllerMain", "eligibility": "EligibilityMain",
    "payment-processor": "PaymentProcessorMain", "app-store-server": "AppStoreServerMain", "gateway": "GatewayMain",
    "storebus": "StorebusMain",
]

/// Tests that start these executables.
let testsWithProcesses: Set = ["InAppPurchasesTests", "Listings", "PlantedBugTests", "Scenarios"]

// `STOREBUS_ONLY=Catalog,Scenarios` declares these modules, their tests and the modules both depend on, so that nothing
// else is compiled. The name of an executable, such as `payment-queue`, declares it without tests. `make test ONLY=…`
// sets the variable, with a scratch path of its own; `make build` and `make dist` set it to the executables.
if let only = Context.environment["STOREBUS_ONLY"]?.split(separator: ",").map(String.init), !only.isEmpty {
    let declared = Dictionary(uniqueKeysWithValues: targets.map { ($0.name, $0) })
    var waiting: [String] = []
    for name in only {
        let named = executables[name].map { [$0] } ?? [name, "\(name)Tests"].filter { declared[$0] != nil }
        guard !named.isEmpty else { fatalError("STOREBUS_ONLY: there is no module and no executable '\(name)'") }
        waiting += named
    }
    if !testsWithProcesses.isDisjoint(with: waiting) { waiting += executables.values }
    var needed: Set<String> = []
    while let name = waiting.popLast() {
        guard let target = declared[name], needed.insert(name).inserted else { continue }
        for dependency in target.dependencies {
            switch dependency {
            case .targetItem(let name, _), .byNameItem(let name, _): waiting.append(name)
            default: break
            }
        }
    }
    targets.removeAll { !needed.contains($0.name) }
}

let isDeclared = Set(targets.map(\.name)).contains
let products: [Product] =
    executables.sorted { $0.key < $1.key }.filter { isDeclared($0.value) }
    .map { .executable(name: $0.key, targets: [$0.value]) }
    + clients.filter(isDeclared).map { .library(name: $0, targets: [$0]) }

let package = Package(
    name: "storebus",
    products: products,
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(
            url: "https://github.com/apple/swift-configuration", from: "1.4.0",
            traits: ["CommandLineArguments", "Logging"]),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: targets
)
