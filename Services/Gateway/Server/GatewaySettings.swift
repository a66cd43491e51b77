import Foundation
import Operations
import Signing
import StoreModels

/// The gateway's settings.
struct GatewaySettings {
    /// `storebus.admin.key`, else the content of the file `storebus.admin.keyFile`. With nil the operator's routes
    /// reject every caller.
    let adminKey: AdminKey?
    /// `storebus.session.keyFile`, else `gateway/session.key` in the data directory.
    let sessionKey: [UInt8]
    /// `gateway.handlersOnBusLoop`, default true.
    let handlersOnBusLoop: Bool
    /// `storebus.publicUrl`, the gateway's address as clients reach it. Nil for 127.0.0.1 and the port it listens on.
    let publicURL: String?
    /// `storebus.httpsPort`, the port for HTTPS. Nil for none, 0 for any free one.
    let httpsPort: Int?
    /// `storebus.httpsHosts`, names of the gateway for HTTPS besides Apple's and this machine's, separated by commas.
    let httpsHosts: [String]
    /// `storebus.environment`, the receipt environment, default `sandbox`.
    let environment: ReceiptEnvironment

    /// `bus.operatorCredentialsFile`, the content of the file with the token of the bus's operator. Nil for the
    /// gateway's own credentials.
    let operatorToken: String?
    /// `console.dir`, a directory whose files the console has instead of the compiled ones. Nil for those.
    let consoleDirectory: String?

    /// - Throws: ``StartupError`` that names the key or the file.
    init(_ settings: Settings, dataDirectory: String) throws(StartupError) {
        adminKey = try Self.adminKey(settings)
        sessionKey = try Self.sessionKey(settings, dataDirectory)
        handlersOnBusLoop = try settings.bool("gateway.handlersOnBusLoop", default: true)
        publicURL = try Self.publicURL(settings)
        httpsPort = try settings.int("storebus.httpsPort", in: 0...65535)
        httpsHosts = try Self.hosts(settings)
        environment = try settings.choice("storebus.environment", default: ReceiptEnvironment.sandbox)
        operatorToken = try settings.string("bus.operatorCredentialsFile").map { path throws(StartupError) in
            try SecretFile.text(path, of: "BUS_OPERATOR_CREDENTIALS_FILE")
        }
        consoleDirectory = try Self.consoleDirectory(settings)
    }

    private static func adminKey(_ settings: Settings) throws(StartupError) -> AdminKey? {
        if let key = try settings.string("storebus.admin.key", isSecret: true) {
            return AdminKey(try checked(key, "STOREBUS_ADMIN_KEY"))
        }
        guard let path = try settings.string("storebus.admin.keyFile") else { return nil }
        return AdminKey(try checked(try SecretFile.text(path, of: "STOREBUS_ADMIN_KEY_FILE"), path))
    }

    private static func publicURL(_ settings: Settings) throws(StartupError) -> String? {
        guard let text = try settings.string("storebus.publicUrl") else { return nil }
        let slash = UInt8(ascii: "/")
        let isURL = ["http://", "https://"].contains { scheme in
            guard text.utf8.starts(with: scheme.utf8) else { return false }
            return text.utf8.dropFirst(scheme.utf8.count).first.map { $0 != slash } ?? false
        }
        guard isURL, WebPort.isValid(in: text), text.utf8.count <= 512,
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            throw StartupError(
                .badConfiguration,
                "STOREBUS_PUBLIC_URL must be the address at which clients reach the gateway, such as http://store:7430")
        }
        return text.utf8.last == slash ? String(text.dropLast()) : text
    }

    private static func consoleDirectory(_ settings: Settings) throws(StartupError) -> String? {
        guard let path = try settings.string("console.dir"), !path.isEmpty else { return nil }
        guard ConsoleFiles(directory: path).file(ConsoleFiles.index) != nil else {
            throw StartupError(
                .badConfiguration,
                "CONSOLE_DIR '\(path)' has no readable \(ConsoleFiles.index); name the console's directory, "
                    + "such as Services/Gateway/Console, or leave it out")
        }
        return path
    }

    private static func hosts(_ settings: Settings) throws(StartupError) -> [String] {
        let names = (try settings.string("storebus.httpsHosts") ?? "").split(separator: ",").map(String.init)
        guard names.allSatisfy({ $0.utf8.count <= 253 && $0.utf8.allSatisfy { (0x21...0x7E).contains($0) } }) else {
            throw StartupError(
                .badConfiguration, "STOREBUS_HTTPS_HOSTS must be host names or addresses, separated by commas")
        }
        return names
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
