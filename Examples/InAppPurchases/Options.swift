import Dispatch
import Foundation
import StoreKitClient

/// The options: from the command line, else the environment, else a store on this machine.
struct Options {
    private(set) var wantsHelp = false
    private(set) var gateway = URL(string: "http://127.0.0.1:7430")
    private(set) var bundleId = "com.example.app"
    private(set) var account = "alice"
    private var device: String?
    /// The file of product identifiers, or nil for the `Products.plist` beside the sources.
    private var products: String?
    /// The directory for delivered content, or nil for the default.
    private var contents: String?

    static let help = """
        USAGE: InAppPurchases [--url <url>] [--bundle-id <id>] [--account <account>] [--device <device>]
                              [--products <file>] [--contents <dir>]

          --url        The store. Also STOREBUS_URL. Default: http://127.0.0.1:7430
          --bundle-id  The app. Also STOREBUS_BUNDLE_ID. Default: com.example.app
          --account    Who shops. Also STOREBUS_ACCOUNT. Default: alice
          --device     Where. Also STOREBUS_DEVICE_ID. Default: <account>-1
          --products   Your product identifiers: a property list, an array of strings.
          --contents   Where hosted content is delivered. Default: InAppPurchases.contents
        """

    struct Unknown: Error, CustomStringConvertible {
        let description: String
    }

    init(_ arguments: [String], _ environment: [String: String]) throws {
        try set(gateway: environment["STOREBUS_URL"])
        bundleId = environment["STOREBUS_BUNDLE_ID"] ?? bundleId
        account = environment["STOREBUS_ACCOUNT"] ?? account
        device = environment["STOREBUS_DEVICE_ID"]
        var words = arguments[...]
        while let word = words.popFirst() {
            if word == "--help" || word == "-h" {
                wantsHelp = true
                continue
            }
            guard let value = words.popFirst() else {
                throw Unknown(description: "'\(word)' has no value\n\(Self.help)")
            }
            switch word {
            case "--url": try set(gateway: value)
            case "--bundle-id": bundleId = value
            case "--account": account = value
            case "--device": device = value
            case "--products": products = value
            case "--contents": contents = value
            default: throw Unknown(description: "'\(word)' is unknown\n\(Self.help)")
            }
        }
    }

    private mutating func set(gateway text: String?) throws {
        guard let text else { return }
        guard let url = URL(string: text), url.host != nil else {
            throw Unknown(description: "'\(text)' is no address")
        }
        gateway = url
    }

    var deviceId: String { device ?? "\(account)-1" }

    /// The connection, with callbacks on the main queue, where a user interface would be.
    var connection: StoreConnection {
        guard let gateway else { preconditionFailure("an address was checked before") }
        return StoreConnection(
            gateway: gateway, bundleId: bundleId, deviceId: deviceId, account: account, platform: .iOS,
            osVersion: "18.0", callbackTarget: .main)
    }

    var productIdentifiers: [String] {
        get throws {
            let own = products.map { URL(fileURLWithPath: $0) }
            guard let file = own ?? Bundle.module.url(forResource: "Products", withExtension: "plist") else {
                throw CocoaError(.fileNoSuchFile)
            }
            return try ProductIdentifierList.identifiers(contentsOf: file)
        }
    }

    var contentDirectory: URL { URL(fileURLWithPath: contents ?? "InAppPurchases.contents", isDirectory: true) }
}
