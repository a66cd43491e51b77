import StoreModels

/// The users of a store's own bus: those of `deploy/users.json`, and the directory's owner.
///
/// The owner's token, `bus.token`, may do everything: it belongs to the user who can read all the others, too, and
/// `storebus bus` signs in with it.
struct BusUsers: Codable, Hashable, Sendable {
    var users: [User]

    struct User: Codable, Hashable, Sendable {
        var name: String
        var tokenFile: String
        var permissions: Permissions
    }

    struct Permissions: Codable, Hashable, Sendable {
        var pub: Rules
        var sub: Rules
    }

    /// Nil for `allow` allows everything, `[]` nothing.
    struct Rules: Codable, Hashable, Sendable {
        var allow: [String]?
        var deny: [String]?
        var queues: [String]?
    }

    /// Name of the user as whom the gateway shows the bus in the console.
    static let operatorName = "operator"
    /// Name of the user with all permissions.
    static let owner = "owner"

    /// Subjects of the broker must be named, because `>` does not include them.
    private static let everything = Rules(allow: [">", "$SRV.>", "$SYS.>"])

    /// The users of `deploy/users.json`, compiled into the program, and the owner. A test reads them.
    static let all: BusUsers = {
        do {
            let deployed = try StoreJSON.decode(BusUsers.self, from: PackageResources.users_json)
            let permissions = Permissions(pub: everything, sub: everything)
            let owner = User(name: owner, tokenFile: "../bus.token", permissions: permissions)
            return BusUsers(users: deployed.users + [owner])
        } catch {
            preconditionFailure("Resources/users.json: \(error)")
        }
    }()

    /// Writes the users file and the tokens that are missing.
    /// - Throws: `dataDirectoryUnusable` with the path.
    static func prepare(_ directory: DataDirectory) throws(CLIError) {
        try FileAccess.makeDirectory(directory.busDirectory)
        _ = try Secret.keep(at: directory.busToken)
        for user in ServiceName.rawValues + [operatorName] {
            _ = try Secret.keep(at: directory.busToken(of: user))
        }
        let bytes: [UInt8]
        do {
            bytes = try StoreJSON.encode(all)
        } catch {
            preconditionFailure("texts always have a form in JSON: \(error)")
        }
        try FileAccess.write(bytes, to: directory.busUsers, mode: 0o600)
    }
}
