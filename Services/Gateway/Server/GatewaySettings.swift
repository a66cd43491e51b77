import Foundation
import Operations
import Signing

/// The gateway's settings.
struct GatewaySettings {
    /// `storebus.admin.key`, else the content of the file `storebus.admin.keyFile`. With nil the operator's routes
    /// reject every caller.
    let adminKey: AdminKey?
    /// `storebus.session.keyFile`, else `gateway/session.key` in the data directory.
    let sessionKey: [UInt8]
    /// `gateway.handlersOnBusLoop`, default true.
    let handlersOnBusLoop: Bool
    /// `storebus.environment`, the receipt environment, default `sandbox`.
    let environment: ReceiptEnvironment

    /// - Throws: ``StartupError`` that names the key or the file.
    init(_ settings: Settings, dataDirectory: String) throws(StartupError) {
        adminKey = try Self.adminKey(settings)
        sessionKey = try Self.sessionKey(settings, dataDirectory)
        handlersOnBusLoop = try settings.bool("gateway.handlersOnBusLoop", default: true)
        environment = try settings.choice("storebus.environment", default: ReceiptEnvironment.sandbox)
    }

    private static func adminKey(_ settings: Settings) throws(StartupError) -> AdminKey? {
        if let key = try settings.string("storebus.admin.key", isSecret: true) {
            return AdminKey(try checked(key, "STOREBUS_ADMIN_KEY"))
        }
        guard let path = try settings.string("storebus.admin.keyFile") else { return nil }
        return AdminKey(try checked(try SecretFile.text(path, of: "STOREBUS_ADMIN_KEY_FILE"), path))
    }

    /// Checks the length and characters of the key. Like a bearer token it has no spaces.
    private static func checked(_ key: String, _ source: String) throws(StartupError) -> String {
        guard key.utf8.count >= 8, key.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw StartupError(
                .badConfiguration, "\(source) must be 8 or more printable ASCII characters without spaces")
        }
        return key
    }

    private static func sessionKey(_ settings: Settings, _ dataDirectory: String) throws(StartupError) -> [UInt8] {
        do {
            if let path = try settings.string("storebus.session.keyFile") { return try KeyFile.load(path) }
            let directory = "\(dataDirectory)/gateway"
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            return try KeyFile.load("\(directory)/session.key")
        } catch let error as StartupError {
            throw error
        } catch {
            throw StartupError(.badConfiguration, "the key of session tokens: \(error)")
        }
    }
}
