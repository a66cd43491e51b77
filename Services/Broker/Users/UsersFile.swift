import BusProtocol
import FoundationEssentials

/// The users of a bus, read from JSON.
///
/// ```json
/// {"users":[
///   {"name":"gateway","tokenFile":"gateway.token","permissions":{"pub":{"allow":["sb.catalog.v1.>"]}}},
///   {"name":"operator","token":"a long random text"}
/// ]}
/// ```
/// Unknown and repeated members, `null`, and a token shared by two users are errors, because each could give an
/// unintended permission.
package struct UsersFile: Sendable {
    /// The users in the file's order, at least one.
    package let users: [BrokerUser]

    /// Reads a file. A relative `tokenFile` is relative to the directory of the users file.
    ///
    /// - Throws: `usersUnreadable`, or `usersFile` with the location and the remedy.
    package static func read(_ path: String) throws(BrokerStartError) -> UsersFile {
        guard let data = FileManager.default.contents(atPath: path) else { throw .usersUnreadable(path) }
        do throws(UsersFileFault) {
            return try UsersFile(json: Array(data)) { tokenFile in
                let isAbsolute = tokenFile.hasPrefix("/")
                return isAbsolute
                    ? tokenFile : URL(fileURLWithPath: path).deletingLastPathComponent().path + "/" + tokenFile
            }
        } catch {
            throw .usersFile(path, error)
        }
    }

    /// Decodes and checks a document.
    ///
    /// - Parameter resolve: Returns the path of a token file.
    init(json: [UInt8], resolve: (String) -> String = { $0 }) throws(UsersFileFault) {
        let document = try Self.decode(json)
        guard !document.users.isEmpty else {
            throw UsersFileFault([DocumentKey.users], "is empty, so no client could sign in; name at least one user")
        }
        var users: [BrokerUser] = []
        for (index, entry) in document.users.enumerated() {
            let location: [any CodingKey] = [DocumentKey.users, ElementIndex(index)]
            let token = try entry.secret(location, resolve)
            if users.contains(where: { $0.name == entry.name }) {
                throw UsersFileFault(
                    location + [UserEntry.Key.name], "'\(entry.name)' is there twice; names are unique")
            }
            if let other = users.first(where: { $0.token == token }) {
                throw UsersFileFault(
                    location,
                    "has the same token as '\(other.name)'; the token tells who signs in, so give each its own")
            }
            users.append(BrokerUser(name: entry.name, token: token, rules: entry.rules))
        }
        self.users = users
    }

    enum DocumentKey: String, CodingKey, CaseIterable { case users }

    private struct Document: Decodable {
        var users: [UserEntry]

        init(from decoder: any Decoder) throws {
            users = try decoder.strictMembers(DocumentKey.self).decode([UserEntry].self, forKey: .users)
        }
    }

    private static func decode(_ json: [UInt8]) throws(UsersFileFault) -> Document {
        do throws(BusViolation) {
            // The scanner of frame headers is strict, and finds repeated members.
            _ = try FrameHeader(scanning: json.span)
        } catch {
            throw UsersFileFault([], "is not strict JSON: \(error.reason.replacing("the header ", with: "it "))")
        }
        do {
            return try JSONDecoder().decode(Document.self, from: Data(json))
        } catch let error as UsersFileFault {
            throw error
        } catch let error as DecodingError {
            throw UsersFileFault(error)
        } catch {
            throw UsersFileFault([], "\(error)")
        }
    }
}

/// One entry of a users file, as written there.
struct UserEntry: Decodable {
    enum Key: String, CodingKey, CaseIterable { case name, token, tokenFile, permissions }

    var name: String
    var token: String?
    var tokenFile: String?
    var rules: PermissionRules

    init(from decoder: any Decoder) throws {
        let members = try decoder.strictMembers(Key.self)
        name = try members.decode(String.self, forKey: .name)
        guard BrokerUser.isName(name) else {
            throw UsersFileFault(
                members.codingPath + [Key.name], "must be 1 to 64 letters, digits, '-' and '_'")
        }
        token = try members.ifThere(String.self, .token)
        tokenFile = try members.ifThere(String.self, .tokenFile)
        rules = try members.ifThere(PermissionRules.self, .permissions) ?? PermissionRules()
    }

    /// Returns the token, from the entry or from its file.
    func secret(_ location: [any CodingKey], _ resolve: (String) -> String) throws(UsersFileFault) -> String {
        switch (token, tokenFile) {
        case (let token?, nil):
            if !token.isEmpty { return token }
            throw UsersFileFault(location + [Key.token], "is empty; put a long random text there")
        case (nil, let file?):
            do throws(BrokerStartError) {
                return try BrokerConfiguration.token(inFile: resolve(file))
            } catch {
                throw UsersFileFault(location + [Key.tokenFile], error.description)
            }
        case (nil, nil): throw UsersFileFault(location, "needs 'token' or 'tokenFile'")
        case (_?, _?): throw UsersFileFault(location, "has 'token' and 'tokenFile'; keep one of them")
        }
    }
}
