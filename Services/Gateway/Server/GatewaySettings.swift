import FoundationEssentials
import GatewayEdge
import Glibc
import Operations
import OperatorAPI
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
    /// `storebus.importsFile`, the file in which `storebus up --init` keeps the outcome of its imports. Nil for none.
    let importsFile: String?

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
        importsFile = try settings.string("storebus.importsFile")
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

/// The key that signs session tokens, kept in the data directory. The first start creates it. Later starts and other
/// gateways with the same directory read it.
enum KeyFile {
    /// The reason why the key is missing, worded for the operator.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The size of the key.
    static let byteCount = 32

    /// Reads the key at `path`, and creates a missing one.
    ///
    /// The key is written under another name and then linked, so that two gateways that start simultaneously both end
    /// with the same complete key.
    static func load(_ path: String) throws(Failure) -> [UInt8] {
        if let key = try read(path) { return key }
        try create(path)
        guard let key = try read(path) else { throw Failure(description: "\(path) vanished while it was being read") }
        return key
    }

    private static func read(_ path: String) throws(Failure) -> [UInt8]? {
        var status = stat()
        guard stat(path, &status) == 0 else {
            if errno == ENOENT { return nil }
            throw failure("cannot look at", path)
        }
        guard status.st_mode & 0o077 == 0 else {
            throw Failure(description: "\(path) can be read by others; allow only its owner: chmod 600 \(path)")
        }
        guard let data = FileManager.default.contents(atPath: path) else { throw failure("cannot read", path) }
        guard data.count == byteCount else {
            throw Failure(
                description: "\(path) has \(data.count) bytes instead of \(byteCount); "
                    + "remove it to have a new one made (all sessions then end)")
        }
        return Array(data)
    }

    private static func create(_ path: String) throws(Failure) {
        let temporary = "\(path).\(UInt32.random(in: .min ... .max)).new"
        var generator = SystemRandomNumberGenerator()
        let key = (0..<byteCount).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("cannot make", temporary) }
        defer { unlink(temporary) }
        let written = write(descriptor, key, key.count)
        let isSafe = written == key.count && fsync(descriptor) == 0
        guard close(descriptor) == 0, isSafe else { throw failure("cannot write", temporary) }
        // A key that another process created meanwhile is used instead.
        guard link(temporary, path) == 0 || errno == EEXIST else { throw failure("cannot make", path) }
    }

    private static func failure(_ what: String, _ path: String) -> Failure {
        Failure(description: "\(what) \(path): \(String(cString: strerror(errno)))")
    }
}
